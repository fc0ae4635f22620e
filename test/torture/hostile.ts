import fc from 'fast-check'

/** What callers send who mean no good, or do not know what they do. */

/** Texts that have broken some program before. */
const INFAMOUS = [
  ...['', ' ', '\u0000', 'a\u0000b', '\ud800', '\udc00x', '\ufeff', '\u202e\u2066\u200b', '👩‍👩‍👧‍👦'.repeat(50)],
  ...['Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘', '../../../../etc/passwd', '..\\..\\windows'],
  ...['%00', '%', '%zz', '%c0%ae%c0%ae/', "' OR 1=1 --", '"; DROP TABLE notes; --', '" NEAR("a" "b") OR *'],
  ...['((((((((((', 'NOT NOT NOT', '*', '-"', 'a:b:c:', '<script>alert(1)</script>', '{{7*7}}#{7*7}', '__proto__'],
  ...['constructor', 'toString', 'NaN', 'Infinity', '-0', '1e400', '9007199254740993', '0x10', '٣', 'null'],
  ...['undefined', 'true', '2026-02-30', '0000-00-00', '+275760-09-13T00:00:00.001Z', '2026-03-01T08:15:60.000Z'],
  ...['-000001-01-01', 'Europe/Nowhere', 'FREQ=SECONDLY;INTERVAL=0', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'],
  ...['FREQ=DAILY;UNTIL=00000000T000000Z;COUNT=99999999999999999999', '(a+)+$', 'İıſK', '\r\nX-Tier: api'],
  ...['x'.repeat(501), 'x'.repeat(20_001), '[['.repeat(2000), '{{c1::'.repeat(500), '> '.repeat(2000)],
  ...['#'.repeat(3000), '|'.repeat(3000), '*_'.repeat(3000), '![]('.repeat(1000), 'e\u0301'.repeat(2000)],
]

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...INFAMOUS) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }) },
)

const NUMBERS = [0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e21, 1e308, Number.MIN_VALUE, Number.MAX_SAFE_INTEGER]

/** Any JSON value, most of them where they do not belong. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: hostileText },
  { weight: 3, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, [], {}, [[]], [null], { '': {} }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.array(hostileText, { maxLength: 300 }) },
  { weight: 1, arbitrary: fc.dictionary(hostileText, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 30 }) },
)

/** Texts that are no JSON, or more of it than anybody needs. */
const NO_JSON = [
  ...['{', '{"a":1,}', "{'a':1}", '[1,2', 'NaN', '{"a":1e999999}', '{"a":-1e999999}', '/* */ {}', '\u2028{}'],
  ...['\ufeff{}', '{"a":"\\ud800"}', '{"\\u0000":1}', `{"a":${'9'.repeat(10_000)}}`, '{"title":"a"}{"title":"b"}'],
  ...['{"__proto__":{"x":1},"constructor":{"prototype":{}}}', `{${'"a":1,'.repeat(5000)}"a":2}`, '['.repeat(100_000)],
  ...[`${'['.repeat(65)}${']'.repeat(65)}`, `${'{"a":'.repeat(64)}1${'}'.repeat(64)}`, `[${'{},'.repeat(20_000)}{}]`],
  ...[`{"title":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, `"${'\\u0041'.repeat(10_000)}"`],
]

export const noJson: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...NO_JSON),
  fc.json({ maxDepth: 3 }).chain((text) => fc.nat(text.length).map((end) => text.slice(0, end))),
)

/** Bytes that are no UTF-8, or nothing at all. */
export const brokenBytes: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.tuple(fc.constantFrom(0xff, 0xc0, 0xed, 0xf8, 0x80, 0xe2), fc.json({ maxDepth: 2 }), fc.nat()).map(spoil),
)

function spoil([byte, text, at]: [number, string, number]): Uint8Array {
  const bytes = new TextEncoder().encode(`{"title":${text}}`)
  bytes[at % bytes.length] = byte
  return bytes
}

/** Values of headers that a client library will still send. */
const VISIBLE = fc.string({ unit: fc.constantFrom(...' !"#$%&\'()*,-./09:;<=>?@AZ[\\]^_`az{|}~éÿ'), maxLength: 60 })
export const headerValue: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('', '*', '"', '"1-0"', 'W/"1-0"', '"1-0", "2-0"', '1'.repeat(300), 'a,'.repeat(2000)),
  VISIBLE,
)
