import { Socket } from 'node:net';
import { expect } from 'chai';
import { ConnectionShares } from '../../api/server/connection-shares.ts';

describe('Places for connections, shared by network', () => {
  function connect(shares: ConnectionShares, remoteAddress: string): Socket {
    const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
    shares.add(socket);
    return socket;
  }

  it('idle connections of as many networks as there are places give way to a new network, the oldest first', () => {
    const shares = new ConnectionShares(() => true);
    const first = connect(shares, '192.0.2.1');
    const second = connect(shares, '192.0.2.2');
    const third = connect(shares, '192.0.2.3');
    const added = connect(shares, '198.51.100.1');
    expect(shares.take(added)).to.equal(first);
    shares.use(second);
    expect(shares.take(connect(shares, '198.51.100.2'))).to.equal(third);
  });

  it('a request of one network does not give way to another network that has as many', () => {
    const shares = new ConnectionShares(() => true);
    shares.use(connect(shares, '192.0.2.1'));
    const added = connect(shares, '198.51.100.1');
    expect(shares.take(added)).to.equal(added);
  });

  it('a network of two gives its idle connection to one that has none, and not to one of three', () => {
    const shares = new ConnectionShares(() => false);
    const idle = connect(shares, '192.0.2.1');
    shares.use(connect(shares, '192.0.2.1'));
    shares.use(connect(shares, '198.51.100.1'));
    shares.use(connect(shares, '198.51.100.1'));
    const third = connect(shares, '198.51.100.1');
    expect(shares.take(third)).to.equal(third);
    expect(shares.take(connect(shares, '203.0.113.1'))).to.equal(idle);
  });
});
