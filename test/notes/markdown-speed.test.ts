import { describe, expect, test } from 'bun:test'
import { deriveMembers, scanMarkdown } from '../../src/notes/markdown/scan-markdown.ts'
import { cost } from '../support/cost'
import { slow } from '../support/full'

const MEBIBYTE = 1 << 20

const fill = (piece: string) => piece.repeat(Math.ceil(MEBIBYTE / piece.length)).slice(0, MEBIBYTE)

const PROSE = `## A heading with *emphasis*

Lorem ipsum dolor sit amet, [consectetur](https://example.org/a) adipiscing elit, sed do [[Eiusmod|eiusmod]] tempor
incididunt ut labore et dolore magna aliqua. Ut enim ad minim #veniam, quis nostrud \`exercitation\` ullamco.

- [ ] Duis aute irure dolor
  - [x] in reprehenderit in voluptate
> Excepteur sint occaecat cupidatat non proident — naïve.

`

const steps = (line: (depth: number) => string) => {
  let body = ''
  for (let depth = 0; body.length < MEBIBYTE; depth = (depth + 1) % 1000) body += line(depth)
  return body
}

const HOSTILE: Record<string, string> = {
  quotes: fill('>'),
  'quotes with a lazy paragraph': `${'>'.repeat(MEBIBYTE / 2)}a\n${fill('b\n').slice(MEBIBYTE / 2)}`,
  brackets: fill('['),
  'open wiki links': fill('[['),
  embeds: fill('![['),
  'named wiki links': fill('[[a'),
  underscores: fill('_a'),
  backticks: fill('`'),
  'backtick runs of every length': steps((depth) => `${'`'.repeat(depth + 1)} `),
  pipes: fill('|'),
  tags: fill('#a '),
  'nested lists by indentation': steps((depth) => `${' '.repeat(2 * depth)}- [ ] a\n`),
  'nested lists in a line': `${fill('- ')}x`,
  'nested lists and blank lines': `${'- '.repeat(MEBIBYTE / 4)}x\n${'\n'.repeat(MEBIBYTE / 2)}`,
  'Obsidian comments': fill('%%'),
  'lone Obsidian comments': fill('a %% b\n\n'),
  'HTML comments': fill('<!--'),
  'HTML comments in quotes': fill('> <!--\n\n'),
  'HTML comments in text': fill('a <!--\n\n'),
  'link openings': fill('[a]('),
  'link titles': fill('[a](b "'),
  'brackets that close': '['.repeat(MEBIBYTE / 2) + ']('.repeat(MEBIBYTE / 4),
  'HTML tags': fill('<a b="'),
  'emphasis in a heading': `# ${fill('a**b*_')}`,
  definitions: fill('[a]:\n'),
  'definitions of notes': fill('[a]: b.md\n\n'),
  'links to notes': fill('[a](b.md)'),
  'open links to notes': fill('[a](b.md '),
  'open angle brackets': fill('[a](<b.md'),
  'escapes of a destination': fill('[a](\\(%'),
  'links to notes in quotes': fill('> [a](b.md)\n'),
  addresses: fill('a://'),
}

describe('1 MiB', () => {
  test('of prose is scanned at 20 MiB/s or more, and derived from in under 60 ms', async () => {
    const body = fill(PROSE)
    expect(await cost(50, () => scanMarkdown(body))).toBeLessThan(50)
    expect(await cost(60, () => deriveMembers(body, null))).toBeLessThan(60)
  })

  for (const [name, body] of Object.entries(HOSTILE)) {
    slow(`of ${name} is scanned in under 100 ms, and derived from in under 300 ms`, async () => {
      expect(await cost(100, () => scanMarkdown(body))).toBeLessThan(100)
      expect(await cost(300, () => deriveMembers(body, null))).toBeLessThan(300)
    })
  }
})

test('4 KiB is derived from in under 0.3 ms', async () => {
  const body = PROSE.repeat(20).slice(0, 4096)
  const hundred = () => {
    for (let run = 0; run < 100; run += 1) deriveMembers(body, null)
  }
  expect(await cost(30, hundred)).toBeLessThan(30)
})
