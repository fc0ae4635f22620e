import fc from 'fast-check'

/** Of the kinds that break software: markup of every layer, other scripts, joined and odd letters, lone surrogates. */
export const NAUGHTY = [
  ...`
    \u0000 __proto__ constructor <script>alert(1)</script> {{c1:: }}}} {{c1::{{c2::x}} {{c1,,2::x}}
    {{c99999999999999999999::x}} :: == ==== \`\`\` \` |-| Q: " """, #separator: ../../etc/passwd \\ ٣٤ ﷺ
    Z͑ͫ̓ͪ̂ͫ 👩‍👩‍👧‍👦 \ud800 \udc00\ud800 \u202e\u2066 \ufeff \u2028
  `
    .split(/[ \n]+/)
    .filter(Boolean),
  '',
  ' ',
  "'; DROP TABLE facts; --",
  '~~~\n',
  '|\n|-|-|\n|',
  'A:\nQ:',
  '# ?',
  ': x',
  '#columns:\t',
  'ı İ ß ς',
  '\r',
]

/** Text of the pieces that mean something somewhere, in any order, among any letters. */
export const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...NAUGHTY),
      fc.constantFrom('{{c1::', '{{c2,3::', '::', '}}', '{', '}', '==', '`', '\n', '\n\n', '|', ' :: ', '# ', '?\n'),
      fc.constantFrom(...'* ** _ ~~ [a](b) ![ ]( <b> &amp; \\* \t , "'.split(' '), '\r\n', '    x'),
      fc.string({ unit: 'binary', maxLength: 6 }),
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(''))

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const storable = anyText.filter((text) => text.isWellFormed() && !text.includes('\0'))
const side = storable.filter((text) => text.trim() !== '')
const line = fc.constantFrom('a', 'é b', '"', ',', '日本')
const unset = { external_modified_at: null }
const others = {
  extra: fc.oneof(fc.constant(null), side),
  hint: fc.oneof(fc.constant(null), side),
  tags: fc.uniqueArray(fc.constantFrom('a', 'b::c', 'é', '"', ','), { maxLength: 3 }),
  source: fc.oneof(
    fc.constant(null),
    fc.constant({ system: null, id: null, url: 'https://example.org/a?b,"c"' }),
    fc.record({ system: fc.constantFrom('anki', ' a"'), id: fc.constantFrom('x', ' a,b"\n'), url: fc.constant(null) }),
  ),
  note_ids: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
}

/** The content of a fact as it comes from the store, with anything for its texts. */
export const anyFact = fc.oneof(
  fc
    .record({ type: fc.constantFrom('basic', 'reversed'), front: side, back: side, ...others })
    .map((fact) => ({ ...fact, accepted: [] as string[], ...unset })),
  fc
    .record({
      type: fc.constant('typed' as const),
      front: side,
      back: side,
      ...others,
      accepted: fc.array(line, { maxLength: 3 }),
    })
    .map((fact) => ({ ...fact, ...unset })),
  fc
    .record({ type: fc.constant('cloze' as const), text: side.map((text) => `${text}{{c1::x}}`), ...others })
    .map((fact) => ({ ...fact, accepted: [] as string[], ...unset })),
)
