import { describe, expect, test } from 'bun:test'
import { isIP } from 'node:net'
import fc from 'fast-check'
import {
  isLoopback,
  isPrivate,
  networksOf,
  parseAddress,
  parseEntry,
  parseRanges,
  resolveClient,
} from '../../src/lib/client-address'
import { runs } from '../support/full'

/** `203.0.113.9/32`, or the /64 and /48 of an IPv6 entry, as text. */
function networks(entry: string): string {
  const address = parseEntry(entry)
  if (!address) return 'invalid'
  const { network, network48 } = networksOf(address)
  if (!network48) return `${Uint8Array.fromHex(network.slice(24)).join('.')}/32`
  return `${network.slice(0, 16)}/64 ${network48.slice(0, 12)}/48`
}

const V4 = '203.0.113.9/32'
const V6 = '20010db812345678/64 20010db81234/48'
const ZERO = '0000000000000000/64 000000000000/48'
const LINK_LOCAL = 'fe80000000000000/64 fe8000000000/48'

describe('entries of a chain', () => {
  test.each([
    ['203.0.113.9', V4],
    [' "203.0.113.9" ', V4],
    ['\t203.0.113.9\t', V4],
    ['203.0.113.9:51824', V4],
    ['::ffff:203.0.113.9', V4],
    ['::FFFF:cb00:7109', V4],
    ['0:0:0:0:0:ffff:cb00:7109', V4],
    ['[::ffff:203.0.113.9]:443', V4],
    ['64:ff9b::cb00:7109', V4],
    ['64:ff9b::203.0.113.9', V4],
    ['::203.0.113.9', ZERO],
    ['::1', ZERO],
    ['::', ZERO],
    ['2001:db8:1234:5678::1', V6],
    ['[2001:db8:1234:5678::1]:443', V6],
    ['"[2001:db8:1234:5678::1]:4711"', V6],
    ['2001:0DB8:1234:5678:ffff:ffff:ffff:ffff', V6],
    ['2001:db8:1234:5678::203.0.113.9', V6],
    ['2001:db8:1234:5679::1', '20010db812345679/64 20010db81234/48'],
    ['1:2:3:4:5:6:7::', '0001000200030004/64 000100020003/48'],
    ['fe80::1%eth0', LINK_LOCAL],
    ['[fe80::1%25eth0]:80', LINK_LOCAL],
    ['2002:cb00:7109::1', '2002cb0071090000/64 2002cb007109/48'],
  ])('%s is counted under %s', (entry, expected) => {
    expect(networks(entry)).toBe(expected)
  })

  test.each([
    ...['010.0.0.1', '0x7f.0.0.1', '2130706433', '203.0.113', '203.0.113.256', '203.0.113.9:99999', '203.0.113.9:'],
    ...['[203.0.113.9]', 'unknown', '_hidden', '', '２０３.0.113.9', '2001:db8::1::2', '2001:db8:::1', '12345::1'],
    ...['2001:db8:1:2:3:4:5:6:443', '1:2:3:4:5:6:7:8::', '[2001:db8::1', 'fe80::1%', '203.0.113.9%eth0', ':', ':::'],
    ...[
      ...['1.2.3.4.5', '1.2.3.4::', '::1.2.3.4:1', '1:2', '[::1]443', '[::1]:', '[]', '"', '""', '::g', '1::2%a b'],
      '-1.2.3.4',
    ],
    ...['::ffff:1.2.3.4:80', '[::1]:065', '1:2:3:4:5:6:7:1.2.3.4', ':1::', '1::2:', '\u00a01.2.3.4'],
  ])('%j is no address', (entry) => {
    expect(networks(entry)).toBe('invalid')
  })

  test('no text throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseEntry(text)))
    const hostile = fc.string({ unit: fc.constantFrom(...'0123456789abcfF:.[]%"/ ,;=-') })
    fc.assert(
      fc.property(hostile, (text) => void parseEntry(text)),
      { numRuns: runs(1000) },
    )
  })

  test('what is an address, the runtime says as well', () => {
    const group = fc.constantFrom(
      '',
      '',
      '0',
      '1',
      'db8',
      'FFFF',
      '12345',
      'g',
      '1.2.3.4',
      '256.1.1.1',
      '01.2.3.4',
      '9',
    )
    const joined = fc.array(group, { maxLength: 9 }).map((groups) => groups.join(':'))
    const near = fc.tuple(joined, fc.constantFrom('', '::', ':'), joined).map((parts) => parts.join(''))
    const dotted = fc.stringMatching(/^[0-9.]{7,15}$/)
    fc.assert(
      fc.property(fc.oneof(near, joined, dotted), (text) => {
        expect([text, parseAddress(text) !== null]).toEqual([text, isIP(text) !== 0])
      }),
      { numRuns: runs(2000) },
    )
  })

  test('equal bits are equal, however they are spelled', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 }), (groups) => {
        const plain = groups.map((g) => g.toString(16)).join(':')
        const padded = groups.map((g) => g.toString(16).padStart(4, '0').toUpperCase()).join(':')
        const [a = 0, b = 0] = groups.slice(6)
        const dotted = `${plain.split(':').slice(0, 6).join(':')}:${a >> 8}.${a & 255}.${b >> 8}.${b & 255}`
        const short = plain.replace(/(^|:)0(:0)+(:|$)/, '::')
        const bits = groups.map((g) => g.toString(16).padStart(4, '0')).join('')
        for (const text of [plain, padded, dotted, short, `[${plain}]:1`, `${plain}%zone`]) {
          expect(parseEntry(text)).toBe(bits)
        }
      }),
    )
  })
})

describe('where an address is', () => {
  test.each([
    ['127.0.0.1', true],
    ['127.255.0.9', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['64:ff9b::7f00:1', false],
    ['::127.0.0.1', false],
    ['128.0.0.1', false],
  ])('%s is loopback: %p', (text, expected) => {
    expect(isLoopback(parseAddress(text) ?? '')).toBe(expected)
  })

  test.each([
    ['10.9.8.7', true],
    ['172.31.255.255', true],
    ['172.32.0.0', false],
    ['192.168.1.1', true],
    ['169.254.0.1', true],
    ['fd00::1', true],
    ['fe80::1%eth0', true],
    ['febf::1', true],
    ['fec0::1', false],
    ['2001:db8::1', false],
  ])('%s is private: %p', (text, expected) => {
    expect(isPrivate(parseAddress(text) ?? '')).toBe(expected)
  })
})

describe('trusted ranges', () => {
  test('a list is read, a bare address is one host, an empty text is an empty list', () => {
    const ranges = parseRanges(' 10.0.0.0/8, 2001:db8::/32 ,192.0.2.1, ::ffff:10.0.0.0/104 ')
    expect(ranges.map((range) => range.bits)).toEqual([104, 32, 128, 104])
    expect(parseRanges(' ')).toEqual([])
  })

  test.each([
    ['0.0.0.0/0', 'too wide'],
    ['10.0.0.0/7', 'too wide'],
    ['::/0', 'too wide'],
    ['fc00::/6', 'too wide'],
    ['::/8', 'too wide'],
    ['::ffff:0:0/96', 'too wide'],
    ['::ffff:0.0.0.0/103', 'too wide'],
    ['10.0.0.1/8', 'bits set'],
    ['2001:db8::1/32', 'bits set'],
    ['10.0.0.0/33', 'no prefix length'],
    ['10.0.0.0/08', 'no prefix length'],
    ['10.0.0.0/', 'no prefix length'],
    ['2001:db8::/129', 'no prefix length'],
    ['10.0.0.0/8,,', 'is not an address'],
    ['10.0.0.0/8 192.0.2.1', 'no prefix length'],
    ['localhost', 'is not an address'],
    ['fe80::1%eth0', 'is not an address'],
    ['10.0.0.1:80', 'is not an address'],
  ])('%j is refused: %s', (text, reason) => {
    expect(() => parseRanges(text)).toThrow(reason)
  })
})

describe('the walk from a peer to the client', () => {
  const TEN = parseRanges('10.0.0.0/8')
  function walk(peer: string, chain: string | null, name = 'X-Forwarded-For') {
    const { client, isIncomplete } = resolveClient(parseAddress(peer) ?? '', name, chain, TEN)
    return `${networks(client.replace(/(....)(?!$)/g, '$1:'))}${isIncomplete ? ' unreadable' : ''}`
  }

  test.each([
    ['::ffff:10.0.0.2', '1.2.3.4, 203.0.113.9', V4],
    ['10.0.0.2', '1.2.3.4, 203.0.113.9, 10.0.0.3', V4],
    ['10.0.0.2', '203.0.113.9, junk, 10.0.0.3', '10.0.0.3/32 unreadable'],
    ['10.0.0.2', null, '10.0.0.2/32'],
    ['10.0.0.2', '10.0.0.9, 10.0.0.3', '10.0.0.9/32'],
    ['10.0.0.2', '', '10.0.0.2/32 unreadable'],
    ['10.0.0.2', ' , ,\t,', '10.0.0.2/32 unreadable'],
    ['10.0.0.2', '203.0.113.9,', V4],
    ['10.0.0.2', '1.2.3.4,, 203.0.113.9, ,\t,10.0.0.3,', V4],
  ])('from %s with %j: %s', (peer, chain, expected) => {
    expect(walk(peer, chain)).toBe(expected)
  })

  test('however long the left part is, the client is the same', () => {
    for (const left of ['127.0.0.1,', '10.0.0.3, ', ',', ' ', '"', 'junk,'].flatMap((text) =>
      [1, 32, 33, 4096, 100_000].map((times) => text.repeat(times)),
    )) {
      expect(walk('10.0.0.2', `${left}, 203.0.113.9`)).toBe(V4)
      expect(walk('10.0.0.2', `${left}, for=203.0.113.9, for=10.0.0.3`, 'Forwarded')).toBe(V4)
    }
  })

  test('at most 32 entries of our own proxies are read', () => {
    const own = Array.from({ length: 32 }, (_, i) => `10.0.1.${i + 1}`)
    expect(walk('10.0.0.2', `203.0.113.9, ${own.slice(1)}`)).toBe(V4)
    expect(walk('10.0.0.2', `203.0.113.9, ${own}`)).toBe('10.0.1.1/32 unreadable')
    expect(walk('10.0.0.2', `203.0.113.9, ${own.join(',,')}`)).toBe('10.0.1.1/32 unreadable')
  })

  test('at most 4096 bytes are read, and nothing of an entry that is not whole in them', () => {
    const padded = (entry: string, length: number) => `${entry},${','.repeat(length - entry.length - 9)}10.0.0.3`
    expect(walk('10.0.0.2', padded('203.0.113.9', 4096))).toBe(V4)
    expect(walk('10.0.0.2', padded('203.0.113.9', 4097))).toBe('10.0.0.3/32 unreadable')
    expect(walk('10.0.0.2', padded('1203.0.113.9', 4097))).toBe('10.0.0.3/32 unreadable')
    expect(walk('10.0.0.2', `1.2.3.4,${padded('203.0.113.9', 4095)}`)).toBe(V4)
    expect(walk('10.0.0.2', `1.2.3.4,${padded('203.0.113.9', 4096)}`)).toBe('10.0.0.3/32 unreadable')
  })

  test.each([
    ['for=203.0.113.9', V4],
    ['for=1.2.3.4,, for=203.0.113.9, , for=10.0.0.3,', V4],
    ['For="203.0.113.9:80";proto=http;by=10.0.0.2', V4],
    ['for=1.2.3.4, for="[2001:db8:1234:5678::1]:4711"', V6],
    ['for="1.2.3.4, for=203.0.113.9', V4],
    ['for=203.0.113.9;host="a, for=6.6.6.6;x="', V4],
    ['for=203.0.113.9;host="a\\", for=6.6.6.6;x="', V4],
    ['proto=http', '10.0.0.2/32 unreadable'],
    ['for=1.2.3.4;for=5.6.7.8', '10.0.0.2/32 unreadable'],
    ['for=_hidden', '10.0.0.2/32 unreadable'],
  ])('Forwarded: %s', (chain, expected) => {
    expect(walk('10.0.0.2', chain, 'Forwarded')).toBe(expected)
  })

  test('any other header holds one value', () => {
    expect(walk('10.0.0.2', '203.0.113.9', 'CF-Connecting-IP')).toBe(V4)
    expect(walk('10.0.0.2', '1.2.3.4, 203.0.113.9', 'CF-Connecting-IP')).toBe('10.0.0.2/32 unreadable')
  })

  test('nothing forged on the left changes the client', () => {
    const unit = fc.oneof(
      fc.constantFrom(...'0123456789abc:.,;="\\[]% for'),
      fc.constantFrom(
        '127.0.0.1, ',
        '10.0.0.3,',
        'for=127.0.0.1, ',
        ','.repeat(33),
        ' '.repeat(4096),
        '"'.repeat(4095),
      ),
    )
    const forged = fc.string({ unit, maxLength: 200 })
    fc.assert(
      fc.property(forged, (text) => {
        expect(walk('10.0.0.2', `${text}, 203.0.113.9`)).toBe(V4)
        expect(walk('10.0.0.2', `${text}, for="203.0.113.9:1", for=10.0.0.3`, 'Forwarded')).toBe(V4)
      }),
      { numRuns: runs(1000) },
    )
  })
})
