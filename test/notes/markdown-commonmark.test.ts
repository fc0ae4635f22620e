import { describe, expect, test } from 'bun:test'
import { tests as examples } from 'commonmark-spec'
import { marked, type Token } from 'marked'
import { scanMarkdown } from '../../src/notes/markdown/scan-markdown.ts'

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'html') return ''
      if (token.type === 'br') return ' '
      return 'tokens' in token && token.tokens ? plainText(token.tokens) : 'text' in token ? String(token.text) : ''
    })
    .join('')
}

function headingsOfMarked(markdown: string): string[] {
  const found: string[] = []
  marked.walkTokens(marked.lexer(markdown), (token) => {
    if (token.type !== 'heading') return
    found.push(
      `${token.depth} ${plainText(token.tokens ?? [])
        .replace(/\s+/g, ' ')
        .trim()}`,
    )
  })
  return found
}

describe('CommonMark 0.31.2', () => {
  const sources = examples.map(({ number, markdown }) => ({ number, markdown: markdown.replaceAll('→', '\t') }))

  test('gives the same headings as marked on every example', () => {
    expect(sources.filter(({ markdown }) => headingsOfMarked(markdown).length > 0)).toHaveLength(40)
    for (const { number, markdown } of sources) {
      const ours = scanMarkdown(markdown).headings.map(({ level, text }) => `${level} ${text}`)
      expect({ number, headings: ours }).toEqual({ number, headings: headingsOfMarked(markdown) })
    }
  })

  test('gives as many blocks of code as the expected HTML has', () => {
    for (const { number, markdown } of sources) {
      const html = examples.find((example) => example.number === number)?.html ?? ''
      // Raw HTML of the example may hold such tags itself.
      if (/<(?:pre|code)/.test(markdown)) continue
      const blocks = scanMarkdown(markdown).code.filter(({ kind }) => kind !== 'span').length
      expect({ number, blocks }).toEqual({ number, blocks: html.split('<pre>').length - 1 })
    }
  })

  test('gives as many code spans as the expected HTML has', () => {
    for (const { number, markdown, html, section } of examples) {
      // In HTML blocks, which show Markdown as it is, links and tags count for us, so code hides them there too.
      if (section === 'HTML blocks' || markdown.includes('<code')) continue
      const { code } = scanMarkdown(markdown.replaceAll('→', '\t'))
      const expected = html.replaceAll('<pre><code', '').split('<code>').length - 1
      expect({ number, spans: code.filter(({ kind }) => kind === 'span').length }).toEqual({ number, spans: expected })
    }
  })
})
