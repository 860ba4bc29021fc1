import { expect } from 'chai';
import { addressKey, networkKey } from '../../api/http/client-address.ts';

describe('addressKey', () => {
  const cases: [string | undefined, string][] = [
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2::203.0.113.7', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['203.0.113.7:4001', '203.0.113.7'],
    ['[2001:db8:1:2::3]:4001', '2001:db8:1:2::/64'],
    ['[::ffff:203.0.113.7]:4001', '203.0.113.7'],
    ['a proxy wrote this', 'unknown'],
    ['203.0.113.7, 203.0.113.8', 'unknown'],
    ['', 'unknown'],
    [undefined, 'unknown'],
  ];
  for (const [ip, key] of cases) {
    it(`${ip} counts as ${key}`, () => expect(addressKey(ip)).to.equal(key));
  }

  it('the network of one customer is an IPv4 address or the /48 of an IPv6 one', () => {
    expect(networkKey('::ffff:203.0.113.7')).to.equal('203.0.113.7');
    expect(networkKey('2001:0db8:1:2::3')).to.equal('2001:db8:1::/48');
    expect(networkKey('2001:db8:1:ffff::')).to.equal('2001:db8:1::/48');
    expect(networkKey('2001:db8:2::')).to.equal('2001:db8:2::/48');
    expect(networkKey(undefined)).to.equal('unknown');
  });
});
