import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { parseEnex } from '../../../src/notes/import/enex'
import { enmlToMarkdown } from '../../../src/notes/import/enml'
import type { Warning } from '../../../src/notes/import/parsed'
import { runs } from '../../support/full'
import { fileOf } from './support'

const FIXTURES = join(import.meta.dir, '../../fixtures/enex')

/** The words that Evernote shows of a note, found without a parser. */
function visibleWords(enml: string): string[] {
  const text = enml
    .replace(/<\?[^>]*>|<!DOCTYPE[^>]*>/g, '')
    .replace(/<div style="--en-task-group.*?<\/div><\/div>/g, '')
    .replace(/<(\/?)(b|i|u|s|em|strong|sub|sup|span|font|code|a)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
  return wordsOf(text)
}

const wordsOf = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? []
const plain = (markdown: string) =>
  markdown
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/<\/?(?:br|u|mark|sub|sup)>/g, (tag) => (tag === '<br>' ? ' ' : ''))

describe('every word that Evernote shows', () => {
  const files = readdirSync(FIXTURES).filter((name) => name.endsWith('.enex'))

  test.each(files)('of %s is in the note', async (name) => {
    const bytes = new Uint8Array(await Bun.file(join(FIXTURES, name)).arrayBuffer())
    const contents = [
      ...Buffer.from(bytes)
        .toString()
        .matchAll(/<!\[CDATA\[([\s\S]*?)\]\]>/g),
    ].map(([, enml = '']) => enml)
    const items = [...parseEnex(fileOf(bytes))]
    expect(items).toHaveLength(contents.length)
    for (const [i, item] of items.entries()) {
      const kept = new Set(wordsOf('draft' in item ? plain(item.draft.body) : ''))
      expect(visibleWords(contents[i] ?? '').filter((word) => !kept.has(word))).toEqual([])
    }
  })

  test('of any nesting of elements is in the note', () => {
    const name = fc.constantFrom(
      ...'div p b i u s span ul ol li table tbody tr td th caption blockquote h1 pre code a sub sup center font figure'.split(
        ' ',
      ),
      ...['div style="-en-codeblock:true"', 'span style="font-weight:bold"', 'span style="--en-highlight:red"'],
      ...[
        'ul style="--en-todo:true"',
        'li style="list-style:none"',
        'a href="evernote:///view/1/"',
        'a href="file:///x"',
      ],
      ...['en-crypt', 'dl', 'iframe', 'ol start="7"', 'td colspan="2"'],
    )
    const single = fc.constantFrom('<br/>', '<hr/>', '<en-todo/>', '<en-todo checked="true"/>', '<en-media hash="a"/>')
    const { node } = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 6, withCrossShrink: true },
        fc.constant('WORD '),
        single,
        fc
          .tuple(name, fc.array(tie('node'), { maxLength: 4 }))
          .map(([tag, inner]) => `<${tag}>${inner.join('')}</${tag.split(' ')[0]}>`),
      ),
    }))
    fc.assert(
      fc.property(fc.array(node, { maxLength: 6 }), (nodes) => {
        let count = 0
        const enml = nodes.join('').replaceAll('WORD', () => `w${++count}`)
        const warnings: Warning[] = []
        const body = plain(enmlToMarkdown(`<en-note>${enml}</en-note>`, { tasks: [], files: new Map() }, warnings))
        const kept = new Set(wordsOf(body))
        const missing = Array.from({ length: count }, (_, i) => `w${i + 1}`).filter((word) => !kept.has(word))
        expect(missing).toEqual([])
      }),
      { numRuns: runs(2000) },
    )
  })
})

describe('the fixtures', () => {
  const bodies = async (name: string) => {
    const bytes = new Uint8Array(await Bun.file(join(FIXTURES, name)).arrayBuffer())
    return [...parseEnex(fileOf(bytes))].map((item) =>
      'draft' in item ? [item.draft.body, item.warnings.map(({ code }) => code)] : null,
    )
  }

  test('of links and tasks come out whole', async () => {
    expect(await bodies('links-and-tasks.enex')).toEqual([
      [
        '[[Berlin trip]]\n\nThe \\[odd\\] one\n\n[web](https://example.org/a_%28b%29) a file\n\n![small picture](data:image/png;base64,iVBORw0KGgo=)\n\n```\nen-crypt AES\nhint: the usual\nRU5DMCR2SQ==\n```\n',
        ['note_links', 'link_dropped', 'encrypted'],
      ],
      ['today\n\n- [x] water plants\n- [ ] call the bank (due 2024-01-20)\n\ntomorrow\n\n- [ ] without a place\n', []],
    ])
  })

  test('of tables come out whole', async () => {
    expect(await bodies('tables.enex')).toEqual([
      [
        'Prices *2024*\n\n| Name | Price\\|unit |\n| --- | --- |\n| line one<br>line two | one<br>two |\n| - first point<br>- second point |  |\n',
        ['merged_cells'],
      ],
      [expect.stringContaining('words outside'), []],
    ])
  })
})
