import { expect } from 'chai';
import { mongo } from 'mongoose';
import { isDuplicateOf, translated } from '../../shared/adapters/mongo/errors.ts';
import { isAway, isDown } from '../../shared/adapters/mongo/is-away.ts';
import { DropError } from '../../shared/domain/errors.ts';
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
      it(`knows the index that ${server} names, and no other`, () => {
        expect(isDuplicateOf(duplicate('drops_slug'), 'drops_slug')).to.equal(true);
        expect(isDuplicateOf(duplicate('drops_slug'), 'drops_place')).to.equal(false);
        expect(isDuplicateOf(duplicate('drops_slug'), 'drops')).to.equal(false);
        expect(isDuplicateOf(duplicate('_id_'), '_id_')).to.equal(true);
      });
    }

    it('is not misled by the text of a user', () => {
      const error = duplicates.MongoDB('drops_slug', "index: drops_place dup key: Index 'drops_place'");
      expect(isDuplicateOf(error, 'drops_slug')).to.equal(true);
      expect(isDuplicateOf(error, 'drops_place')).to.equal(false);
    });

    it('is false for whatever else is thrown', () => {
      for (const error of [serverError(1, 'index: drops_slug'), new Error('index: drops_slug'), null, 'x']) {
        expect(isDuplicateOf(error, 'drops_slug')).to.equal(false);
      }
    });

    it('is true of a bulk write of which nothing else went wrong', () => {
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

  function named(name: string, message = 'what the driver says'): Error {
    return Object.defineProperty(new Error(message), 'name', { value: name });
  }

  describe('isDown', () => {
    for (const [name, error, expected] of [
      ['a lost connection', new MongoNetworkError(''), true],
      ['a server that gave no answer in time', new mongo.MongoNetworkTimeoutError('timed out'), true],
      ['no server that can be reached', named('MongoServerSelectionError'), true],
      ['a pool that was cleared because its server is lost', named('MongoPoolClearedError'), true],
      ['a socket that was closed', Object.assign(new Error('write'), { code: 'ECONNRESET' }), true],
      ['a pool in which no connection became free', named('MongoWaitQueueTimeoutError'), false],
      ['an operation that took too long in all', named('MongoOperationTimeoutError'), false],
      ['a server that has too much to do', serverError(262), false],
      ['a server that is stopping', serverError(91), false],
    ] as const) {
      it(`is ${expected} for ${name}`, () => {
        expect(isAway(error), 'unavailable').to.equal(true);
        expect(isDown(error)).to.equal(expected);
      });
    }
  });

  describe('isAway', () => {
    function labelled(label: string): Error {
      const error = serverError(1);
      error.addErrorLabel(label);
      return error;
    }

    const stopped = { code: 11_600, errmsg: 'interrupted at shutdown' };
    const duplicate = { code: 11_000, errmsg: duplicates.MongoDB('drops_slug').message };
    const away: readonly (readonly [string, Error])[] = [
      ['a lost connection', new MongoNetworkError('connection 1 to 127.0.0.1:27017 closed')],
      ['a socket that was closed', Object.assign(new Error('write ECONNRESET'), { code: 'ECONNRESET' })],
      ['a silent server', new mongo.MongoNetworkTimeoutError('timed out')],
      ['no server', named('MongoServerSelectionError')],
      ['no server, as Mongoose tells it', named('MongooseServerSelectionError')],
      ['no free connection', named('MongoWaitQueueTimeoutError')],
      ['a pool that was cleared', named('MongoPoolClearedError')],
      ['a pool that was cleared by the monitor', named('PoolClearedOnNetworkError')],
      ['a connection that was closed', new mongo.MongoTopologyClosedError()],
      ['a client that was closed', new mongo.MongoClientClosedError()],
      ['a connection that is not open', new mongo.MongoNotConnectedError('')],
      [
        'Mongoose before it is connected',
        named('MongooseError', 'Cannot call `a.b()` before initial connection is complete'),
      ],
      ['a server that is no primary any more', serverError(10_107)],
      ['a server that stops', serverError(91)],
      [
        'a write that was not confirmed in time',
        new mongo.MongoWriteConcernError({ writeConcernError: { code: 64, errmsg: '' }, ok: 1 }),
      ],
      ['a failed handshake', labelled('HandshakeError')],
      ['a server that has too much to do', labelled('SystemOverloadedError')],
      [
        'a bulk write that lost its connection',
        new MongoBulkWriteError(new MongoNetworkError(''), bulkError([]).result),
      ],
      ['a bulk write on a server that stops', bulkError([stopped])],
      ['a bulk write of which one write met that', bulkError([duplicate, stopped])],
      ['a bulk write that was not confirmed in time', bulkError([duplicate], 64)],
    ];
    for (const [name, error] of away) {
      it(`is true for ${name}`, () => {
        expect(isAway(error)).to.equal(true);
      });
    }

    const others: readonly (readonly [string, unknown])[] = [
      ['a duplicate', duplicates.MongoDB('drops_slug')],
      ['a bulk write of duplicates', bulkError([duplicate])],
      ['a command that the server does not know', serverError(59)],
      ['a document too large', serverError(17_280)],
      ['a missing permission', serverError(13)],
      ['a write concern that is not configured', serverError(79)],
      ['a cast that failed', named('CastError')],
      ['a wrong call of Mongoose', named('MongooseError', 'Model.find() no longer accepts a callback')],
      ['a fault of ours', new TypeError('x is not a function')],
      ['what is no error', 'MongoNetworkError'],
    ];
    for (const [name, error] of others) {
      it(`is false for ${name}`, () => {
        expect(isAway(error)).to.equal(false);
      });
    }
  });

  describe('translated', () => {
    /** A store whose method is called with the number of the call. */
    function storeOf(answer: (call: number) => Promise<string>, waitAtMost = 4_000) {
      let calls = 0;
      const store = { find: (prefix: string) => answer(++calls).then((text) => prefix + text) };
      return { store: translated(waitAtMost, store), calls: () => calls };
    }

    async function unavailableOf(promise: Promise<unknown>): Promise<DropError> {
      const error = await rejectionOf(promise);
      if (!(error instanceof DropError)) throw error;
      expect(error.code).to.equal('unavailable');
      expect(error.details).to.deep.equal({ retry_after_seconds: 1 });
      return error;
    }

    it('passes on arguments and results', async () => {
      expect(await storeOf(async () => 'b').store.find('a')).to.equal('ab');
    });

    it('says that the database is unavailable, with the cause', async () => {
      const cause = new MongoNetworkError('closed');
      const { store, calls } = storeOf(() => Promise.reject(cause));
      expect((await unavailableOf(store.find(''))).cause).to.equal(cause);
      expect(calls(), 'what is unknown is not repeated').to.equal(1);
    });

    it('throws other errors as they are', async () => {
      const error = serverError(13);
      expect(await rejectionOf(storeOf(() => Promise.reject(error)).store.find(''))).to.equal(error);
    });

    it('waits no longer than it is told', async () => {
      const { store } = storeOf(() => new Promise(() => undefined), 20);
      await unavailableOf(store.find(''));
    });

    it('says nothing about an error that comes after the answer', async () => {
      let fail: (error: Error) => void = () => undefined;
      const { store } = storeOf(() => new Promise((_, reject) => (fail = reject)), 20);
      await unavailableOf(store.find(''));
      fail(new Error('late')); // unhandled, it would end the run
      await new Promise(setImmediate);
    });

    for (const [name, error] of [
      ['DocumentDB', serverError(16_908_292, 'deadlock detected')],
      ['MongoDB', serverError(112)],
      [
        'a bulk write',
        bulkError([
          { code: 11_000, errmsg: '' },
          { code: 112, errmsg: '' },
        ]),
      ],
    ] as const) {
      it(`repeats a write that met another one: ${name}`, async () => {
        const { store, calls } = storeOf((call) => (call < 5 ? Promise.reject(error) : Promise.resolve('b')));
        expect(await store.find('a')).to.equal('ab');
        expect(calls()).to.equal(5);
      });
    }

    it('gives up a write that meets others again and again', async () => {
      const { store, calls } = storeOf(() => Promise.reject(serverError(112)));
      await unavailableOf(store.find(''));
      expect(calls()).to.equal(5);
    });
  });
});
