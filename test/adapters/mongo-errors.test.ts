import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { mongo } from 'mongoose';
import { DropError } from '../../shared/domain/errors.ts';
import { describeFailure } from '../../shared/mongo/connection.ts';
import { isDuplicateOf, withTimeLimit } from '../../shared/mongo/errors.ts';
import { rejectionOf } from '../support/rejection.ts';

const { MongoServerError, MongoBulkWriteError, MongoNetworkError } = mongo;

function serverError(code: number, errmsg = 'what the server says') {
  return new MongoServerError({ code, errmsg });
}

/** @param index of the unique index, as MongoDB and DocumentDB name it */
const duplicates = {
  MongoDB: (index: string, value = 'x') =>
    serverError(
      11_000,
      `E11000 duplicate key error collection: index.drops index: ${index} dup key: { slug: "${value}" }`,
    ),
  'MongoDB in findAndModify': (index: string, value = 'x') =>
    serverError(
      11_000,
      `Plan executor error during findAndModify :: caused by :: E11000 duplicate key error collection: a.drops index: ${index} dup key: { slug: "${value}" }`,
    ),
  DocumentDB: (index: string) =>
    serverError(11_000, `Duplicate key violation on the requested collection: Index '${index}'`),
};

interface UnavailableDetails {
  readonly reason?: string;
  readonly retry_after_seconds?: number;
  readonly isDown?: boolean;
}

/** As a bulk write tells of refused writes. */
function bulkError(errors: readonly { code: number; errmsg: string }[], unconfirmedCode?: number) {
  // proof: what a WriteError tells; the driver does not give its class away
  const writeErrors = errors.map((error, index) => ({ ...error, index })) as mongo.WriteError[];
  const [first] = errors;
  const unconfirmed = unconfirmedCode === undefined ? undefined : { code: unconfirmedCode };
  // proof: the one method of the result that is asked
  const result = { getWriteConcernError: () => unconfirmed } as mongo.BulkWriteResult;
  return new MongoBulkWriteError(
    { message: first?.errmsg ?? '', code: first?.code ?? 0, writeErrors },
    result,
  );
}

describe('errors of MongoDB', () => {
  describe('isDuplicateOf', () => {
    for (const [server, duplicate] of Object.entries(duplicates)) {
      it(`is true for the index that ${server} names only`, () => {
        expect(isDuplicateOf(duplicate('drops_slug'), 'drops_slug')).to.equal(true);
        expect(isDuplicateOf(duplicate('drops_slug'), 'drops_place')).to.equal(false);
        expect(isDuplicateOf(duplicate('drops_slug'), 'drops')).to.equal(false);
        expect(isDuplicateOf(duplicate('_id_'), '_id_')).to.equal(true);
      });
    }

    it('ignores index names in the text of a user', () => {
      const error = duplicates.MongoDB('drops_slug', "index: drops_place dup key: Index 'drops_place'");
      expect(isDuplicateOf(error, 'drops_slug')).to.equal(true);
      expect(isDuplicateOf(error, 'drops_place')).to.equal(false);
    });

    it('is false for any other error', () => {
      for (const error of [serverError(1, 'index: drops_slug'), new Error('index: drops_slug'), null, 'x']) {
        expect(isDuplicateOf(error, 'drops_slug')).to.equal(false);
      }
    });

    it('is true of a bulk write that has no other error', () => {
      const slug = { code: 11_000, errmsg: duplicates.MongoDB('drops_slug').message };
      const place = { code: 11_000, errmsg: duplicates.DocumentDB('drops_place').message };
      expect(isDuplicateOf(bulkError([slug]), 'drops_slug')).to.equal(true);
      expect(isDuplicateOf(bulkError([slug, slug]), 'drops_slug')).to.equal(true);
      expect(isDuplicateOf(bulkError([slug, place]), 'drops_slug')).to.equal(false);
      expect(isDuplicateOf(bulkError([slug, { code: 8, errmsg: '' }]), 'drops_slug')).to.equal(false);
      expect(isDuplicateOf(bulkError([slug], 64), 'drops_slug'), 'not confirmed').to.equal(false);
      expect(isDuplicateOf(bulkError([]), 'drops_slug')).to.equal(false);
    });
  });

  function named(name: string): Error {
    return Object.defineProperty(new mongo.MongoDriverError('x'), 'name', { value: name });
  }

  function labelled(label: string): Error {
    const error = serverError(1);
    error.addErrorLabel(label);
    return error;
  }

  /** @param errors of the servers that the driver knows */
  function noServer(...errors: Error[]) {
    const servers = new Map(errors.map((error, i) => [`${i}`, { error }]));
    const reason = { servers } as unknown as mongo.TopologyDescription; // proof: nothing else of it is read
    return new mongo.MongoServerSelectionError('timed out', reason);
  }

  describe('withTimeLimit', () => {
    /** A store whose method is called with the number of the call. */
    function storeOf(answer: (call: number) => Promise<string>, waitAtMost = 4_000) {
      let calls = 0;
      const store = { find: (prefix: string) => answer(++calls).then((text) => prefix + text) };
      return { store: withTimeLimit(new EventEmitter(), waitAtMost, store), calls: () => calls };
    }

    async function expectUnavailable(
      call: Promise<unknown>,
      details: UnavailableDetails = {},
    ): Promise<DropError> {
      const error = await rejectionOf(call);
      if (!(error instanceof DropError)) throw error;
      expect(error.code).to.equal('unavailable');
      expect(error.details).to.deep.equal({ retry_after_seconds: 1, ...details });
      return error;
    }

    const stopped = { code: 11_600, errmsg: 'interrupted at shutdown' };
    const duplicate = { code: 11_000, errmsg: duplicates.MongoDB('drops_slug').message };
    const timeout = new mongo.MongoNetworkTimeoutError('timed out');
    const refusedConnection = new MongoNetworkError('connect ECONNREFUSED');
    const slow = { reason: 'database_slow' };
    const unreachable = { reason: 'database_unreachable', isDown: true };
    const diskFull = { reason: 'disk_full', retry_after_seconds: 10 };
    const readOnly = { reason: 'database_read_only', retry_after_seconds: 10 };
    for (const [name, error, { isDown = false, ...details }] of [
      ['a lost connection', new MongoNetworkError('connection 1 to 127.0.0.1:27017 closed'), unreachable],
      ['a socket timeout', timeout, { ...slow, isDown: true }],
      ['no server', noServer(), unreachable],
      ['servers that did not answer', noServer(timeout, timeout), { ...slow, isDown: true }],
      ['servers of which one refused the connection', noServer(timeout, refusedConnection), unreachable],
      ['a closed socket', Object.assign(new Error('write ECONNRESET'), { code: 'ECONNRESET' }), unreachable],
      ['a closed pool', named('MongoPoolClosedError'), unreachable],
      ['a closed topology', new mongo.MongoTopologyClosedError(), unreachable],
      ['a closed client', new mongo.MongoClientClosedError(), unreachable],
      ['a client that is not connected', new mongo.MongoNotConnectedError(''), unreachable],
      ['no free connection', named('MongoWaitQueueTimeoutError'), slow],
      ['an operation that took too long', new mongo.MongoOperationTimeoutError(''), slow],
      ['a server that is no primary any more', serverError(10_107), {}],
      ['a server that is shutting down', serverError(91), {}],
      ['a failed handshake', labelled('HandshakeError'), {}],
      ['an overloaded server', labelled('SystemOverloadedError'), {}],
      [
        'an unconfirmed write',
        new mongo.MongoWriteConcernError({ writeConcernError: { code: 64, errmsg: '' }, ok: 1 }),
        {},
      ],
      [
        'a bulk write that lost its connection',
        new MongoBulkWriteError(new MongoNetworkError(''), bulkError([]).result),
        {},
      ],
      ['a bulk write with one interrupted write', bulkError([duplicate, stopped]), {}],
      ['an unconfirmed bulk write', bulkError([duplicate], 64), {}],
      ['a full disk', serverError(14_031), diskFull],
      ['a full disk of DocumentDB', serverError(1, 'could not extend: No space left on device'), diskFull],
      ['a full disk in a bulk write', bulkError([{ code: 14_031, errmsg: '' }]), diskFull],
      ['a standby', serverError(1, 'cannot execute INSERT in a read-only transaction'), readOnly],
    ] as readonly [string, Error, UnavailableDetails][]) {
      it(`says that the database is unavailable after ${name}, with the cause`, async () => {
        const { store, calls } = storeOf(() => Promise.reject(error));
        expect(await expectUnavailable(store.find(''), details)).to.include({ cause: error, isDown });
        expect(calls(), 'what is unknown is not repeated').to.equal(1);
      });
    }

    for (const [name, error] of [
      ['a duplicate', duplicates.MongoDB('drops_slug')],
      ['a bulk write of duplicates', bulkError([duplicate])],
      ['an unknown command', serverError(59)],
      ['a document that is too large', serverError(17_280)],
      ['a missing permission', serverError(13)],
      ['an invalid argument', new mongo.MongoInvalidArgumentError('')],
      ['a failed cast', Object.assign(new Error(), { name: 'CastError' })],
      ['a bug', new TypeError('x is not a function')],
    ] as const)
      it(`throws ${name} as it is`, async () => {
        expect(await rejectionOf(storeOf(() => Promise.reject(error)).store.find(''))).to.equal(error);
      });

    it('passes on arguments, results and what is no error', async () => {
      expect(await storeOf(async () => 'b').store.find('a')).to.equal('ab');
      const { store } = storeOf(() => Promise.reject('MongoNetworkError'));
      expect(await store.find('').catch((reason: unknown) => reason)).to.equal('MongoNetworkError');
    });

    it('rejects at the time limit, and ignores an error after it', async () => {
      let fail: (error: Error) => void = () => undefined;
      const { store } = storeOf(() => new Promise((_, reject) => (fail = reject)), 20);
      await expectUnavailable(store.find(''), slow);
      fail(new Error('late')); // unhandled, it would end the run
      await new Promise(setImmediate);
    });

    const conflicts = {
      DocumentDB: serverError(16_908_292, 'deadlock detected'),
      MongoDB: serverError(112),
      'a bulk write': bulkError([
        { code: 11_000, errmsg: '' },
        { code: 112, errmsg: '' },
      ]),
    };
    for (const [name, error] of Object.entries(conflicts))
      it(`retries a write conflict: ${name}`, async () => {
        const { store, calls } = storeOf((call) => (call < 5 ? Promise.reject(error) : Promise.resolve('b')));
        expect(await store.find('a')).to.equal('ab');
        expect(calls()).to.equal(5);
      });

    it('gives up after the last attempt of a write that always conflicts', async () => {
      const { store, calls } = storeOf(() => Promise.reject(serverError(112)));
      await expectUnavailable(store.find(''));
      expect(calls()).to.equal(10);
    });
  });

  describe('describeFailure', () => {
    const uri = 'mongodb://bob:s3cr%40t@a.example:27017,b.example:27018/pages?tls=true';
    const hosts = 'a.example:27017, b.example:27018';
    const parseError = (message: string) => Object.assign(new Error(message), { name: 'MongoParseError' });
    for (const [name, address, error, expected] of [
      [
        'each host',
        uri,
        new Error('connect ECONNREFUSED 10.0.0.1:27017'),
        `MongoDB at ${hosts} cannot be reached (connect ECONNREFUSED 10.0.0.1:27017): check MONGODB_URI, TLS, and that MongoDB runs there`,
      ],
      [
        'refused credentials',
        uri,
        serverError(18, 'Authentication failed for bob'),
        `MongoDB at ${hosts} refuses the user name or password in MONGODB_URI`,
      ],
      [
        'an unknown option',
        uri,
        new mongo.MongoParseError('option color is not supported'),
        'MONGODB_URI is invalid: option color is not supported',
      ],
      [
        'a user name that must be percent-encoded',
        'mongodb://b%b:s3@a.example',
        parseError('Username contains unescaped characters b%b'),
        'MONGODB_URI is invalid: Username contains unescaped characters',
      ],
      [
        'a password that may be taken for a host',
        'mongodb://bob:s3?cret@a.example/pages',
        new Error('ECONNREFUSED'),
        'MongoDB at (hidden) cannot be reached (ECONNREFUSED): check MONGODB_URI, TLS, and that MongoDB runs there',
      ],
    ] as const) {
      it(`names ${name}, and no credentials`, () => {
        expect(describeFailure(address, error)).to.equal(expected);
      });
    }
  });
});
