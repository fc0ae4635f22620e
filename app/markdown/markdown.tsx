import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import type { MarkdownActions } from './actions'
import { showBlocks, showFootnotes } from './blocks'
import { TooComplexError } from './lexer'
import { type OutlineHeading, readBody } from './shown'

export type { MarkdownActions } from './actions'

/**
 * Shows the body of a note. Its elements are made again only if `body` or `actions` is another one. What is too large or
 * too complex is shown as it is written.
 */
export function Markdown({ body, actions }: { body: string; actions: MarkdownActions }) {
  return useMemo(() => showMarkdown(body, actions), [body, actions])
}

/** Makes the elements of a body; see Markdown. */
export function showMarkdown(body: string, actions: MarkdownActions): VNode {
  try {
    const read = readBody(body)
    read.lexed.restart()
    const shown = { ...read, actions }
    return (
      <div class="markdown">
        {showFrontMatter(read.source.frontMatter)}
        {showBlocks(read.lexed.blocks, shown)}
        {showFootnotes(shown)}
      </div>
    )
  } catch (error) {
    if (!(error instanceof TooComplexError)) throw error
    return showPlain(body)
  }
}

/** Lists the headings of a body as Markdown shows them; none if it is shown as it is written. */
export function outlineOf(body: string): OutlineHeading[] {
  try {
    return [...readBody(body).headings.values()]
  } catch (error) {
    if (!(error instanceof TooComplexError)) throw error
    return []
  }
}

function showFrontMatter(text: string | null): VNode | null {
  if (text === null) return null
  return (
    <details class="md-properties">
      <summary>Properties</summary>
      <pre>{text}</pre>
    </details>
  )
}

function showPlain(body: string): VNode {
  return (
    <div class="markdown">
      <p class="md-plain-reason">
        This note is too large or too complex to be formatted, so it is shown as it is written.
      </p>
      <pre class="md-plain" dir="auto">
        {body}
      </pre>
    </div>
  )
}
