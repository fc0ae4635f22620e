import { afterAll, expect, test } from 'bun:test'
import { makeNotesWorld } from './support'

const world = await makeNotesWorld()
afterAll(world.close)

/** Of the kinds that break software: nothing-values, signs of other languages, bidirectional, joined, wide and odd letters. */
const NAUGHTY = [
  ...`
    undefined null NaN true -1 1e309 0x10 1/0 ٣٤ ½ ２ CON nul COM1 __proto__ constructor hasOwnProperty
    $where %00 %s%n $(id) \`id\` {{7*7}} $\u007b7*7} <script>alert(1)</script> javascript:alert(1) &amp;
    ../../etc/passwd ..\\..\\boot.ini C:\\x file:///etc/passwd ~ . .. ... / // \\ - -- [[x]] [x](y)
    ![[x]] #x --- \`\`\` | ^ * _ "" '' \u0000 \u0001 \u001b[31m \u007f \u0085 \u00a0 \u00ad \u180e
    \u200b \u200d \u2028 \u202e\u0645\u0631 \u2060 \ufeff \ufffe \uffff \ud800 \udfff \u{10ffff}
    \u{e0041} 👩‍👩‍👧 🇨🇭 ❤️ 🏿 ﷺ İ ı ß ẞ ﬁ Å Å A\u030a 한 \u1112\u1161\u11ab 田中 和製漢語 ｶﾞ ด้้้้้ ˙ɐnbᴉlɐ 𝕿𝖍𝖊
    ⒯⒣⒠ בְּרֵאשִׁית ᚻᛖ ܀ 𐐀
  `
    .split(/[ \n]+/)
    .filter(Boolean),
  "'; DROP TABLE notes; --",
  '1 OR 1=1',
  '"><img src=x onerror=alert(1)>',
  '# x',
  ' x',
  'x ',
  '\t',
  '\n',
  'a\r\nb',
  'Ṱ̺̺̕o͞ ̷i̲̬n̝̗',
  'ثم نفس',
]

const isText = (text: string) => text.isWellFormed() && !text.includes('\0')

const members: [member: string, note: (text: string, i: number) => object][] = [
  ['title', (text) => ({ title: text })],
  ['folder', (text) => ({ folder: text })],
  ['tags', (text) => ({ tags: [text] })],
  ['body', (text) => ({ body: text })],
  ['properties', (text) => ({ properties: { [text]: text, aliases: [text] } })],
  ['source', (text, i) => ({ source: { system: `s${i}`, id: text, url: null } })],
]

const lower = (tag: string) => tag.toLowerCase()

test.each(members)('naughty strings as %s of notes are stored as they are or refused', async (member, noteOf) => {
  const me = world.stranger()
  let stored = 0
  for (const [i, text] of NAUGHTY.entries()) {
    const note = noteOf(text, i)
    const { status, body } = await world.call(me, 'POST', '/api/notes', note)
    expect([text, status]).toEqual([text, status === 400 ? 400 : 201])
    if (status === 400) {
      expect(body.code).toMatch(/^invalid_(request|json)$/)
      continue
    }
    stored += 1
    const { body: read } = await world.call(me, 'GET', `/api/notes/${body.id}`)
    const [sent] = Object.values(note)
    // A tag is spelt as the first of its kind was.
    if (member === 'tags') expect(read.tags.map(lower)).toEqual([lower(text.normalize('NFC'))])
    else expect([i, read[member]]).toEqual([i, member === 'body' ? text.replace(/^\ufeff/, '') : sent])
    const html = await world.call(me, 'GET', `/api/notes/${body.id}`, undefined, { Accept: 'text/html' })
    expect(html.status).toBe(200)
    for (const what of ['links', 'backlinks', 'backlinks?unlinked=true', 'outline'])
      expect([text, what, (await world.call(me, 'GET', `/api/notes/${body.id}/${what}`)).status]).toEqual([
        text,
        what,
        200,
      ])
  }
  expect(stored).toBeGreaterThan(NAUGHTY.length / 2)
})

test.each(['folder', 'tag', 'source_system', 'cursor'])(
  'naughty strings as %s of a list are taken or refused',
  async (name) => {
    const me = world.stranger()
    for (const text of NAUGHTY.filter(isText)) {
      const { status } = await world.call(me, 'GET', `/api/notes?${name}=${encodeURIComponent(text)}`)
      expect([200, 400]).toContain(status)
    }
  },
)

test('a body of any of them in one note, with links to each, comes back byte for byte', async () => {
  const me = world.stranger()
  const body = NAUGHTY.filter(isText)
    .map((text) => `${text} [[${text}]] #${text}`)
    .join('\r\n')
  const made = await world.call(me, 'POST', '/api/notes', { title: 'all', body })
  expect((await world.call(me, 'GET', `/api/notes/${made.body.id}`)).body.body).toBe(body)
  const unresolved = await world.call(me, 'GET', '/api/notes/unresolved?limit=200')
  expect(unresolved.body.items.length).toBe(made.body.links.unresolved)
})
