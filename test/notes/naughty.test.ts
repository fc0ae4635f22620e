import { afterAll, expect, test } from 'bun:test'
import { makeNotesWorld } from './support'

const world = await makeNotesWorld()
afterAll(world.close)

/** Of the kinds that break software: nothing-values, signs of other languages, bidirectional, joined, wide and odd letters. */
const NAUGHTY = [
  'undefined',
  'null',
  'NaN',
  'true',
  '-1',
  '1e309',
  '0x10',
  '1/0',
  '٣٤',
  '½',
  '２',
  'CON',
  'nul',
  'COM1',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '$where',
  "'; DROP TABLE notes; --",
  '1 OR 1=1',
  '%00',
  '%s%n',
  '$(id)',
  '`id`',
  '{{7*7}}',
  '$\u007b7*7}',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  '&amp;',
  '../../etc/passwd',
  '..\\..\\boot.ini',
  'C:\\x',
  'file:///etc/passwd',
  '~',
  '.',
  '..',
  '...',
  '/',
  '//',
  '\\',
  '-',
  '--',
  '[[x]]',
  '[x](y)',
  '![[x]]',
  '# x',
  '#x',
  '---',
  '```',
  '|',
  '^',
  '*',
  '_',
  '""',
  "''",
  ' x',
  'x ',
  '\t',
  '\n',
  'a\r\nb',
  '\u0000',
  '\u0001',
  '\u001b[31m',
  '\u007f',
  '\u0085',
  '\u00a0',
  '\u00ad',
  '\u180e',
  '\u200b',
  '\u200d',
  '\u2028',
  '\u202e\u0645\u0631',
  '\u2060',
  '\ufeff',
  '\ufffe',
  '\uffff',
  '\ud800',
  '\udfff',
  '\u{10ffff}',
  '\u{e0041}',
  '👩‍👩‍👧',
  '🇨🇭',
  '❤️',
  '🏿',
  'ﷺ',
  'İ',
  'ı',
  'ß',
  'ẞ',
  'ﬁ',
  'Å',
  'Å',
  'A\u030a',
  '한',
  '\u1112\u1161\u11ab',
  '田中',
  '和製漢語',
  'ｶﾞ',
  'ด้้้้้',
  'Ṱ̺̺̕o͞ ̷i̲̬n̝̗',
  '˙ɐnbᴉlɐ',
  '𝕿𝖍𝖊',
  '⒯⒣⒠',
  'ثم نفس',
  'בְּרֵאשִׁית',
  'ᚻᛖ',
  '܀',
  '𐐀',
]

const isText = (text: string) => text.isWellFormed() && !text.includes('\0')

test('naughty strings as titles, folders, tags, bodies, properties and sources are stored as they are or refused', async () => {
  const me = world.stranger()
  let stored = 0
  for (const [i, text] of NAUGHTY.entries()) {
    const notes = [
      { title: text },
      { folder: text },
      { tags: [text] },
      { body: text },
      { properties: { [text]: text, aliases: [text] } },
      { source: { system: `s${i}`, id: text } },
    ]
    for (const note of notes) {
      const [[member, sent] = ['', '']] = Object.entries(note)
      const { status, body } = await world.call(me, 'POST', '/api/notes', note)
      expect([text, member, status]).toEqual([text, member, status === 400 ? 400 : 201])
      if (status === 400) {
        expect(body.code).toMatch(/^invalid_(request|json)$/)
        continue
      }
      stored += 1
      const { body: read } = await world.call(me, 'GET', `/api/notes/${body.id}`)
      const kept = member === 'tags' ? [text.normalize('NFC')] : member === 'body' ? text.replace(/^\ufeff/, '') : sent
      const known = member === 'tags' ? read.tags.map((tag: string) => tag.toLowerCase()) : read[member]
      expect([i, member, known]).toEqual([
        i,
        member,
        member === 'tags' ? kept.map((tag: string) => tag.toLowerCase()) : kept,
      ])
      const html = await world.call(me, 'GET', `/api/notes/${body.id}`, undefined, { Accept: 'text/html' })
      expect(html.status).toBe(200)
      for (const what of ['links', 'backlinks', 'backlinks?unlinked=true', 'outline'])
        expect([text, what, (await world.call(me, 'GET', `/api/notes/${body.id}/${what}`)).status]).toEqual([
          text,
          what,
          200,
        ])
    }
    if (isText(text))
      for (const name of ['folder', 'tag', 'source_system', 'cursor'])
        expect([200, 400]).toContain(
          (await world.call(me, 'GET', `/api/notes?${name}=${encodeURIComponent(text)}`)).status,
        )
  }
  expect(stored).toBeGreaterThan(NAUGHTY.length * 3)
})

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
