import { expect } from 'chai';
import { mongo } from 'mongoose';
import { tellFailure } from '../../shared/adapters/mongo/open-failure.ts';

const uri = 'mongodb://bob:s3cr%40t@a.example:27017,b.example:27018/pages?tls=true';

describe('what is told when MongoDB cannot be opened', () => {
  const failures: readonly (readonly [string, Error, string])[] = [
    ['a refused connection', new Error('connect ECONNREFUSED 10.0.0.1:27017'), 'the connection was refused'],
    ['an unknown host', new Error('getaddrinfo ENOTFOUND a.example'), 'the host name is unknown'],
    [
      'an unknown host of SRV',
      new Error('querySrv ENOTFOUND _mongodb._tcp.a.example'),
      'the host name is unknown',
    ],
    ['no way there', new Error('connect EHOSTUNREACH 10.0.0.1:27017'), 'there is no way to that host'],
    ['silence', new Error("Socket 'secureConnect' timed out after 2001ms"), 'it did not answer in time'],
    ['our own patience', new Error('it did not answer in time'), 'it did not answer in time'],
    ['a certificate', new Error('self-signed certificate'), 'TLS failed: self-signed certificate'],
    [
      'refused credentials',
      new mongo.MongoServerError({ code: 18, errmsg: 'Authentication failed for bob' }),
      'the credentials were not accepted',
    ],
    [
      'a closed connection',
      new Error('connection 1 to 10.0.0.1:27017 closed'),
      'it closed the connection: is TLS wanted, and is this MongoDB?',
    ],
    [
      'anything else, as it is',
      new Error('Server at a.example:27017 reports maximum wire version 5'),
      'Server at a.example:27017 reports maximum wire version 5',
    ],
  ];
  for (const [name, error, reason] of failures) {
    it(`names ${name}, and where it was`, () => {
      const sentence = tellFailure(uri, error);
      expect(sentence).to.equal(`MongoDB at a.example:27017, b.example:27018 cannot be reached: ${reason}`);
    });
  }

  it('says of an address that it cannot be used', () => {
    const error = new mongo.MongoParseError('option color is not supported');
    expect(tellFailure(uri, error)).to.equal('MONGODB_URI cannot be used: option color is not supported');
  });

  it('takes credentials out of what the driver says, as written and as meant', () => {
    const error = new mongo.MongoParseError('bob:s3cr%40t, or bob with s3cr@t');
    expect(tellFailure(uri, error)).to.equal('MONGODB_URI cannot be used: …, or … with …');
  });

  it('knows what the parser of addresses throws, which is none of the driver’s errors', () => {
    const error = new Error('Password contains unescaped characters');
    error.name = 'MongoParseError';
    expect(tellFailure('mongodb://bob:s3?cret@a.example/pages', error)).to.equal(
      'MONGODB_URI cannot be used: Password contains unescaped characters',
    );
  });

  it('names no host where it may be part of a password', () => {
    const sentence = tellFailure('mongodb://bob:s3?cret@a.example/pages', new Error('ECONNREFUSED'));
    expect(sentence).to.equal('MongoDB at (hidden) cannot be reached: the connection was refused');
  });

  it('shows no part of an address that is malformed', () => {
    const malformed = 'mongodb://bob:s3@cr/t@a.example/pages';
    const sentence = tellFailure(malformed, new mongo.MongoParseError('Invalid connection string'));
    expect(sentence).to.equal('MONGODB_URI cannot be used: Invalid connection string');
    expect(tellFailure(malformed, new Error('ECONNREFUSED'))).to.not.match(/bob|s3|cr/);
  });
});
