import type { Token, Tokens } from 'marked'
import type { ComponentChild, ComponentChildren, VNode } from 'preact'
import { isFileTarget } from '../../src/lib/file-target'
import { titleKey } from '../../src/lib/text'
import { collapseWhitespace, stripInlineMarkup } from '../../src/notes/markdown/plain-text'
import type { WikiLink } from '../../src/notes/markdown/scan-markdown'
import { readDestination } from './address'
import { decodeEntities } from './entities'
import { FileLink, isDocument, MediaFile } from './files'
import { type HtmlPart, nest, readInlineHtml } from './html'
import { Jump } from './jump'
import { Maths } from './maths'
import type { Shown } from './shown'
import type { Piece } from './source'

/** Levels of nested text elements; what is deeper is shown as it is written. */
const MAX_DEPTH = 60
/** A title that a link creates, in UTF-16 units at most. */
const MAX_TITLE_UNITS = 500

/** Where a text stands: within a link there is no other link. */
interface Place {
  readonly depth: number
  readonly inLink: boolean
}

/** Shows the text of a paragraph, a heading or a cell. */
export function showText(text: string, shown: Shown, inLink = false): ComponentChild[] {
  return showTokens(shown.lexed.readInline(text), shown, { depth: 0, inLink })
}

function showTokens(tokens: readonly Token[], shown: Shown, place: Place): ComponentChild[] {
  if (place.depth > MAX_DEPTH) return tokens.map(({ raw }) => shown.source.restore(raw))
  const inner = { ...place, depth: place.depth + 1 }
  return nest(
    tokens.flatMap((token): HtmlPart[] =>
      token.type === 'html'
        ? readInlineHtml(shown.source.restore(token.text))
        : [{ kind: 'child', child: showToken(token, shown, inner) }],
    ),
  )
}

function showToken(token: Token, shown: Shown, place: Place): ComponentChild {
  const { restore } = shown.source
  switch (token.type) {
    case 'strong':
      return <strong>{showTokens(token.tokens ?? [], shown, place)}</strong>
    case 'em':
      return <em>{showTokens(token.tokens ?? [], shown, place)}</em>
    case 'del':
      return <del>{showTokens(token.tokens ?? [], shown, place)}</del>
    case 'codespan':
      return <code>{restore(token.text)}</code>
    case 'br':
      return <br />
    case 'link':
      return showLink(token as Tokens.Link, shown, place)
    case 'image':
      return showPicture(token as Tokens.Image, shown, place)
    case 'escape':
      return restore(token.text)
    case 'text':
      return restore(token.escaped ? token.text : decodeEntities(token.text))
    default:
      return restore(token.raw)
  }
}

function showLink(token: Tokens.Link, shown: Shown, place: Place): ComponentChild {
  const { source } = shown
  const piece = source.find(token.href)
  if (piece) return showPiece(piece, shown, place)
  const text = showTokens(token.tokens, shown, { ...place, inLink: true })
  const address = source.restore(decodeEntities(token.href))
  const destination = place.inLink ? null : readDestination(address)
  switch (destination?.kind) {
    case undefined:
      return <span title={address}>{text}</span>
    case 'web':
      return (
        <a href={destination.href} target="_blank" rel="noreferrer noopener">
          {text}
        </a>
      )
    case 'mail':
      return <a href={destination.href}>{text}</a>
    case 'heading':
      return showHeadingLink(destination.heading, text, shown)
    case 'file':
      return (
        <FileLink target={destination.path} load={shown.actions.loadFile}>
          {text}
        </FileLink>
      )
    case 'note':
      return showNoteLink(destination.path, destination.heading, text, shown)
  }
}

/** A picture of another host is a link: to load it would tell that host who reads the note, and when. */
function showPicture(token: Tokens.Image, shown: Shown, place: Place): ComponentChild {
  const { restore } = shown.source
  const alt = collapseWhitespace(stripInlineMarkup(restore(token.text)))
  const destination = readDestination(restore(decodeEntities(token.href)))
  if (destination?.kind === 'web') {
    const label = `Picture from ${destination.host}${alt ? `: ${alt}` : ''}`
    if (place.inLink) return label
    return (
      <a class="md-remote" href={destination.href} target="_blank" rel="noreferrer noopener">
        {label}
      </a>
    )
  }
  const isShown = destination?.kind === 'file' || destination?.kind === 'note'
  if (isShown && !(place.inLink && isDocument(destination.path)))
    return <MediaFile target={destination.path} label={alt} load={shown.actions.loadFile} />
  return alt || 'Picture'
}

function showPiece(piece: Piece, shown: Shown, place: Place): ComponentChild {
  switch (piece.kind) {
    case 'box':
      return showBox(piece, shown)
    case 'maths':
      return <Maths tex={piece.tex} isBlock={piece.isBlock} />
    case 'tag':
      if (place.inLink) return `#${piece.name}`
      return (
        <a class="md-tag" href={shown.actions.tagAddress(piece.name)}>
          #{piece.name}
        </a>
      )
    case 'mark':
      return place.inLink ? <sup>{piece.number}</sup> : showMark(piece)
    case 'link':
      return showWikiLink(piece.link, shown, place)
  }
}

function showBox({ start, end, checked }: Piece & { kind: 'box' }, { source, actions }: Shown): VNode {
  const { toggle } = actions
  const label = collapseWhitespace(stripInlineMarkup(source.lineAfter(end))) || 'Task'
  return (
    <input
      type="checkbox"
      checked={checked}
      disabled={!toggle}
      aria-label={label}
      onChange={(event) => toggle?.(start, event.currentTarget.checked)}
    />
  )
}

function showMark({ number, count }: Piece & { kind: 'mark' }): VNode {
  return (
    <sup id={`footnote-mark-${number}-${count}`}>
      <Jump to={`footnote-${number}`} label={`Footnote ${number}`}>
        {number}
      </Jump>
    </sup>
  )
}

function showWikiLink({ target, heading, alias, embed }: WikiLink, shown: Shown, place: Place): ComponentChild {
  const label = alias ?? (heading === null ? target : target === '' ? heading : `${target}#${heading}`)
  const { actions } = shown
  const isFile = isFileTarget(target) && actions.resolve(target, null) === null
  if (isFile && embed && !(place.inLink && isDocument(target))) {
    const [size, width = '', height] = /^(\d{1,4})(?:x(\d{1,4}))?$/.exec(alias ?? '') ?? []
    const measures = size ? { width: Number(width), ...(height ? { height: Number(height) } : {}) } : {}
    return <MediaFile target={target} label={size ? target : label} load={actions.loadFile} {...measures} />
  }
  if (place.inLink) return label
  if (isFile)
    return (
      <FileLink target={target} load={actions.loadFile}>
        {label}
      </FileLink>
    )
  if (target === '') return showHeadingLink(heading ?? '', label, shown)
  return showNoteLink(target, heading, label, shown)
}

function showNoteLink(target: string, heading: string | null, text: ComponentChild, { actions }: Shown): VNode {
  const address = actions.resolve(target, heading)
  if (address !== null)
    return (
      <a class="md-note" href={address}>
        {text}
      </a>
    )
  const { create } = actions
  if (!create) return <span class="md-missing">{text}</span>
  const title = target.slice(0, MAX_TITLE_UNITS)
  return (
    <button type="button" class="md-missing" title="Create this note" onClick={() => create(title)}>
      {text}
    </button>
  )
}

/** Shows a link to the first heading of the note itself that has this text or this id. */
function showHeadingLink(written: string, text: ComponentChildren, { headingIds }: Shown): VNode {
  const id = headingIds.get(titleKey(written))
  return id === undefined ? <span class="md-missing">{text}</span> : <Jump to={id}>{text}</Jump>
}
