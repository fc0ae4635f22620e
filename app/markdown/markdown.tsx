import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { findPart, type OutlineHeading, Shower } from '../../src/notes/markdown/show'
import { say } from '../words/say'
import type { MarkdownActions } from './actions'
import { AppFace, makeElements } from './face'
import { guard, readBody, TooComplexError } from './read-body'

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
  return showPart(body, null, actions, [actions.resolve('', null) ?? ''])
}

/**
 * Makes the elements of a body, or of the part of it with a name; see findPart.
 * @param around the addresses of the notes around it, its own last
 */
export function showPart(
  body: string,
  part: string | null,
  actions: MarkdownActions,
  around: readonly string[],
): VNode {
  try {
    const { document, headings, frontMatter, ...read } = readBody(body)
    const shower = new Shower(document, new AppFace(actions, read, around, showPart), headings)
    const parts = guard(() => (part === null ? shower.showAll() : shower.showPart(findPart(document, part) ?? [])))
    return (
      <div class="markdown">
        {part === null && showFrontMatter(frontMatter)}
        {makeElements(parts)}
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
      <summary>{say`Properties`}</summary>
      <pre>{text}</pre>
    </details>
  )
}

function showPlain(body: string): VNode {
  return (
    <div class="markdown">
      <p class="md-plain-reason">
        {say`This note is too large or too complex to be formatted, so it is shown as it is written.`}
      </p>
      <pre class="md-plain" dir="auto">
        {body}
      </pre>
    </div>
  )
}
