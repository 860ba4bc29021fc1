import type { Socket } from 'node:net';
import { mongo } from 'mongoose';
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

/** A proxy of MongoDB that can lose the answer to a chosen command. */
export interface CommandProxy extends Pick<TcpProxy, 'throughProxy' | 'close'> {
  /** Asked for each command; after true its answer is lost, and its connection stays silent. At first none is lost. */
  loseAnswerIf(isLost: () => boolean): void;
  /** What each write is answered instead of being carried out; null: it is carried out. */
  answerWritesWith(answer: object | null): void;
}

/** @param url of the server, with one host and a port */
export async function openCommandProxy(url: string): Promise<CommandProxy> {
  let isLost = () => false;
  let writeAnswer: object | null = null;

  function carry(client: Socket, upstream: Socket): void {
    let unread = Buffer.alloc(0);
    let isSilent = false;
    client.on('data', (chunk) => {
      unread = Buffer.concat([unread, chunk]);
      for (;;) {
        const length = isSilent ? null : lengthOfMessage(unread);
        if (length === null) return;
        const message = unread.subarray(0, length);
        unread = unread.subarray(length);
        if (writeAnswer !== null && writes.has(nameOf(message) ?? '')) {
          client.write(messageOf(writeAnswer, message));
          continue;
        }
        isSilent = isCommand(message) && isLost();
        upstream.write(message);
      }
    });
    upstream.on('data', (chunk) => {
      if (!isSilent) client.write(chunk);
    });
    client.on('close', () => upstream.end()); // what was sent before arrives
    upstream.on('close', () => client.destroy());
  }

  const tcp = await openTcpProxy(url, (client, connect) => carry(client, connect()));
  return {
    throughProxy: tcp.throughProxy,
    loseAnswerIf(next) {
      isLost = next;
    },
    answerWritesWith(answer) {
      writeAnswer = answer;
    },
    close: tcp.close,
  };
}

/** https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/. null: it is incomplete. */
function lengthOfMessage(bytes: Buffer): number | null {
  const length = bytes.length < 4 ? null : bytes.readInt32LE(0);
  return length === null || length > bytes.length ? null : length;
}

const headerLength = 16;
const opMsg = 2_013;

const writes = new Set(['insert', 'update', 'delete', 'findAndModify']);

/** Not a greeting or another message of the driver's own. */
function isCommand(message: Buffer): boolean {
  const name = nameOf(message);
  return name !== null && !['hello', 'ismaster', 'isMaster', 'ping', 'endSessions'].includes(name);
}

/** The name of the command; null: the message is of an older kind. */
function nameOf(message: Buffer): string | null {
  if (message.readInt32LE(12) !== opMsg) return null;
  const nameAt = headerLength + 4 + 1 + 4 + 1; // flags, kind of section, length of the document, type of its first field
  return message.toString('utf8', nameAt, message.indexOf(0, nameAt));
}

function messageOf(answer: object, to: Buffer): Buffer {
  const document = mongo.BSON.serialize(answer);
  const header = Buffer.alloc(headerLength + 4 + 1); // flags and kind of section are 0
  header.writeInt32LE(header.length + document.length, 0);
  header.writeInt32LE(to.readInt32LE(4), 8); // the request that it answers
  header.writeInt32LE(opMsg, 12);
  return Buffer.concat([header, document]);
}
