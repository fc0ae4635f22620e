import type { Token, Tokens } from 'marked'
import { type ComponentChild, h, type VNode } from 'preact'
import { type HtmlPart, nest, readHtmlBlock } from './html'
import { showText } from './inline'
import { Jump } from './jump'
import type { Shown } from './shown'

/** The first line of a callout: `> [!note] Title`. A sign behind the brackets means that it can be folded. */
const CALLOUT = /^\[!([a-z][\w-]{0,30})\]([+-]?)[ \t]*([^\n]*)(?:\n|$)/i

/** Shows blocks, which are those of the note, a block quote, a list item or a footnote. */
export function showBlocks(tokens: readonly Token[], shown: Shown, isLoose = true): ComponentChild[] {
  return nest(
    tokens.flatMap((token): HtmlPart[] =>
      token.type === 'html'
        ? readHtmlBlock(shown.source.restore(token.text))
        : [{ kind: 'child', child: showBlock(token, shown, isLoose) }],
    ),
  )
}

function showBlock(token: Token, shown: Shown, isLoose: boolean): ComponentChild {
  switch (token.type) {
    case 'heading':
      return h(`h${token.depth}`, { id: shown.headings.get(token)?.id ?? '', dir: 'auto' }, showText(token.text, shown))
    case 'paragraph':
      return <p dir="auto">{showText(token.text, shown)}</p>
    case 'text':
      return isLoose ? <p dir="auto">{showText(token.text, shown)}</p> : showText(token.text, shown)
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard could not scroll it
        <pre tabIndex={0} dir="ltr">
          <code>{shown.source.restore(token.text)}</code>
        </pre>
      )
    case 'hr':
      return <hr />
    case 'blockquote':
      return showQuote(token as Tokens.Blockquote, shown)
    case 'list':
      return showList(token as Tokens.List, shown)
    case 'table':
      return showTable(token as Tokens.Table, shown)
    case 'space':
    case 'def':
      return null
    default:
      return shown.source.restore(token.raw)
  }
}

function showQuote({ tokens, text }: Tokens.Blockquote, shown: Shown): VNode {
  const [first, ...others] = tokens
  const [whole, kind = '', sign, title = ''] = first?.type === 'paragraph' ? (CALLOUT.exec(first.text) ?? []) : []
  if (first?.type !== 'paragraph' || whole === undefined)
    return <blockquote dir={directionOf(shown.source.restore(text))}>{showBlocks(tokens, shown)}</blockquote>
  const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1).toLowerCase()}`
  const heading = title ? showText(title, shown) : name
  const rest: string = first.text.slice(whole.length)
  const content = [rest ? <p dir="auto">{showText(rest, shown)}</p> : null, showBlocks(others, shown)]
  if (sign)
    return (
      <details class="md-callout" open={sign === '+'}>
        <summary>{heading}</summary>
        {content}
      </details>
    )
  return (
    <div class="md-callout" role="note">
      <p class="md-callout-title" dir="auto">
        {heading}
      </p>
      {content}
    </div>
  )
}

function showList({ ordered, start, loose, items }: Tokens.List, shown: Shown): VNode {
  const shownItems = items.map((item) => {
    const hasBox = shown.source.find(/^<([^>]*)>/.exec(item.text)?.[1] ?? '')?.kind === 'box'
    return <li {...(hasBox ? { class: 'md-task' } : {})}>{showBlocks(item.tokens, shown, loose)}</li>
  })
  const dir = directionOf(shown.source.restore(items[0]?.text ?? ''))
  if (!ordered) return <ul dir={dir}>{shownItems}</ul>
  return (
    <ol dir={dir} {...(typeof start === 'number' && start !== 1 ? { start } : {})}>
      {shownItems}
    </ol>
  )
}

const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u

/** The direction of a list or a quote, for its bullets or its line: that of its first letter. `auto` looks into neither. */
function directionOf(text: string): 'ltr' | 'rtl' {
  const [letter = ''] = /\p{L}/u.exec(text) ?? []
  return RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr'
}

function showTable({ header, rows }: Tokens.Table, shown: Shown): VNode {
  const showCell = (kind: 'th' | 'td', { text, align }: Tokens.TableCell) =>
    h(kind, { dir: 'auto', ...(align ? { style: { textAlign: align } } : {}) }, showText(text, shown))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard could not scroll it
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls
    <div class="md-table" role="group" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>{header.map((cell) => showCell('th', cell))}</tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr>{cells.map((cell) => showCell('td', cell))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Shows the footnotes, each with a way back to its first mark. */
export function showFootnotes(shown: Shown): VNode | null {
  const { source, lexed } = shown
  if (lexed.footnotes.length === 0) return null
  return (
    <section class="md-footnotes" aria-label="Footnotes">
      <ol>
        {lexed.footnotes.map((blocks, index) => (
          <li id={`footnote-${index + 1}`}>
            {showBlocks(blocks, shown)}
            {source.footnotes[index]?.marks ? (
              <Jump to={`footnote-mark-${index + 1}-1`} label={`Back to the mark of footnote ${index + 1}`}>
                ↩
              </Jump>
            ) : null}
          </li>
        ))}
      </ol>
    </section>
  )
}
