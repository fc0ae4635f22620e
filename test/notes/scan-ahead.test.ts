import { expect, test } from 'bun:test'
import { parseJson } from '../../src/http/request'
import { scanInTurns, scanMarkdown } from '../../src/notes/markdown/scan-markdown'

/** A long body is scanned in turns: it must come to the same, and leave others their turns. */

const PIECES = [
  '# Plan\n\n- [ ] book the train to #lisbon\n- [x] ask [[Ana|her]]\n\nThe room is `near` the river.\n',
  '> quoted\n> - item [[Link#Heading]]\n>   1. nested\n\n```\n[[code]] #no\n```\n',
  '%% a comment [[no]]\nover lines %%\r\n\r\n## Other\r\n* star\r\n\r\n    indented #no\r\n',
  '[ref]: https://example.org\n\n| a | b |\n|---|---|\n| [[x]] | #y |\n\n',
]
const long = (piece: string) => piece.repeat(Math.ceil((200 * 1024) / piece.length))
const BODIES = [
  ...PIECES.map(long),
  long(PIECES.join('')),
  long('one paragraph with [[links]] and no end '),
  long('\n'),
]

test.each(BODIES.map((body, i) => [i, body] as const))('body %# in turns comes to the same', async (_, body) => {
  await scanInTurns(body)
  const ahead = scanMarkdown(body)
  // Another long body takes its place.
  scanMarkdown(`other ${body}`)
  const anew = scanMarkdown(body)
  expect(ahead).not.toBe(anew)
  expect(ahead).toEqual(anew)
})

test('others have turns meanwhile, and their small bodies do not take the place of a long one', async () => {
  const body = long(PIECES.join('\n'))
  let turns = 0
  let isDone = false
  const others = (async () => {
    while (!isDone) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      scanMarkdown(`small ${turns++}`)
    }
  })()
  await scanInTurns(body)
  expect(turns).toBeGreaterThan(3)
  const structure = scanMarkdown(body)
  scanMarkdown('small')
  expect(scanMarkdown(body)).toBe(structure)
  isDone = true
  await others
})

test('what nests in JSON is told from what a string spells, however it is escaped', () => {
  const deep = '['.repeat(70)
  for (const text of [deep, `"${deep}`, `\\"${deep}`, `\\\\"${deep}`, `\\\\\\${deep}\\`, `a"b"${deep}"`])
    expect(parseJson(JSON.stringify({ text }))).toEqual({ text })
  for (const text of [`["\\\\",${deep}`, `{"a\\"":${deep}`, `["",${deep}`])
    expect(() => parseJson(text)).toThrow('64 levels deep')
})
