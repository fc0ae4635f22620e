import { type ComponentChild, h, type VNode } from 'preact'
import { isFileTarget } from '../../src/lib/file-target'
import { MAX_EMBED_DEPTH, readEmbedSize } from '../../src/notes/markdown/extensions'
import type { LinkTo } from '../../src/notes/markdown/inlines'
import { collapseWhitespace } from '../../src/notes/markdown/plain-text'
import type { WikiLink } from '../../src/notes/markdown/scan-markdown'
import type { Attributes, Face, Picture, Place, TaskBox } from '../../src/notes/markdown/show'
import { say } from '../words/say'
import type { MarkdownActions } from './actions'
import { readDestination } from './address'
import { NoteEmbed, type ShowPart } from './embed'
import { decodeEntities } from './entities'
import { FileLink, isDocument, MediaFile } from './files'
import { type HtmlPart, nest, readHtmlBlock, readInlineHtml } from './html'
import { Jump } from './jump'
import { Maths } from './maths'
import type { ReadBody } from './read-body'

/** A title that a link creates, in UTF-16 units at most. */
const MAX_TITLE_UNITS = 500

/** Parts of what is shown: tags of HTML, which have their other ones elsewhere, and elements. */
type Parts = readonly HtmlPart[]

const asPart = (child: ComponentChild): Parts => [{ kind: 'child', child }]

/** Makes the elements of parts. */
export const makeElements = (parts: readonly Parts[]): ComponentChild[] => nest(parts.flat())

/** Makes the elements that the app shows of a note. */
export class AppFace implements Face<Parts> {
  readonly lineBreaks: boolean
  readonly directions = true

  /** @param around the addresses of the notes around this one, itself included */
  constructor(
    private readonly actions: MarkdownActions,
    private readonly read: Pick<ReadBody, 'findHeading' | 'from'>,
    private readonly around: readonly string[],
    private readonly showPart: ShowPart,
  ) {
    this.lineBreaks = actions.lineBreaks ?? true
  }

  text(text: string): Parts {
    return asPart(text)
  }

  entity(written: string): Parts {
    return asPart(decodeEntities(written))
  }

  element(name: string, { class: className, align, ...attributes }: Attributes, children: readonly Parts[]): Parts {
    const props = {
      ...Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)),
      ...(className && !String(className).startsWith('language-') ? { class: `md-${className}` } : {}),
      ...(align ? { style: { textAlign: align } } : {}),
      ...(name === 'pre' ? { tabIndex: 0 } : {}),
      ...(name === 'div' && className === 'callout' ? { role: 'note' } : {}),
    }
    const element = h(name, props, makeElements(children))
    return asPart(name === 'table' ? showTable(element) : element)
  }

  html(source: string, isBlock: boolean): Parts {
    return isBlock ? readHtmlBlock(source) : readInlineHtml(source)
  }

  link({ href }: LinkTo, content: readonly Parts[], { inLink }: Place): Parts {
    return asPart(this.showLink(decodeEntities(href), makeElements(content), inLink))
  }

  private showLink(address: string, text: ComponentChild[], inLink: boolean): ComponentChild {
    const destination = inLink ? null : readDestination(address)
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
        return this.showHeadingLink(destination.heading, text)
      case 'file':
        return (
          <FileLink target={destination.path} load={this.actions.loadFile}>
            {text}
          </FileLink>
        )
      case 'note':
        return this.showNoteLink(destination.path, destination.heading, text)
    }
  }

  picture({ href, alt: written, width, height }: Picture, { inLink }: Place): Parts {
    const alt = collapseWhitespace(decodeEntities(written))
    const destination = readDestination(decodeEntities(href))
    // To load a picture of another host would tell that host who reads the note, and when.
    if (destination?.kind === 'web') {
      const label = alt ? say`Picture from ${destination.host}: ${alt}` : say`Picture from ${destination.host}`
      if (inLink) return asPart(label)
      return asPart(
        <a class="md-remote" href={destination.href} target="_blank" rel="noreferrer noopener">
          {label}
        </a>,
      )
    }
    const isShown = destination?.kind === 'file' || destination?.kind === 'note'
    if (!isShown || (inLink && isDocument(destination.path))) return asPart(alt || say`Picture`)
    const size = { ...(width ? { width } : {}), ...(height ? { height } : {}) }
    return asPart(<MediaFile target={destination.path} label={alt} load={this.actions.loadFile} {...size} />)
  }

  wikiLink({ target, heading, alias, embed }: WikiLink, { inLink }: Place): Parts {
    const label = alias ?? (heading === null ? target : target === '' ? heading : `${target}#${heading}`)
    const { loadFile } = this.actions
    const isFile = this.isFile(target)
    if (isFile && embed && !(inLink && isDocument(target))) {
      const size = readEmbedSize(alias)
      const measures = size && { width: Number(size.width), ...(size.height && { height: Number(size.height) }) }
      return asPart(<MediaFile target={target} label={size ? target : label} load={loadFile} {...measures} />)
    }
    if (inLink) return asPart(label)
    if (isFile)
      return asPart(
        <FileLink target={target} load={loadFile}>
          {label}
        </FileLink>,
      )
    return asPart(
      target === '' ? this.showHeadingLink(heading ?? '', label) : this.showNoteLink(target, heading, label),
    )
  }

  private isFile(target: string): boolean {
    return isFileTarget(target) && this.actions.resolve(target, null) === null
  }

  embed(link: WikiLink): Parts | null {
    const { target, heading } = link
    const { loadNote, resolve } = this.actions
    if (!loadNote || target === '' || this.around.length > MAX_EMBED_DEPTH) return null
    const address = resolve(target, null)
    if (address === null || this.around.includes(address)) return null
    const title = makeElements([this.wikiLink(link, { inLink: false })])
    const around = [...this.around, address]
    return asPart(
      <NoteEmbed target={target} part={heading} title={title} load={loadNote} around={around} show={this.showPart} />,
    )
  }

  tag(name: string, { inLink }: Place): Parts {
    if (inLink) return asPart(`#${name}`)
    return asPart(
      <a class="md-tag" href={this.actions.tagAddress(name)}>
        #{name}
      </a>,
    )
  }

  maths(tex: string, isBlock: boolean): Parts {
    return asPart(<Maths tex={tex} isBlock={isBlock} />)
  }

  box({ mark, state, label }: TaskBox): Parts {
    const { toggle } = this.actions
    const offset = mark - 1 + this.read.from
    return asPart(
      <input
        type="checkbox"
        checked={/x/i.test(state)}
        disabled={!toggle}
        aria-label={label || say`Task`}
        onChange={(event) => toggle?.(offset, event.currentTarget.checked)}
        {...(/[ x]/i.test(state) ? {} : { 'data-task': state, indeterminate: true })}
      />,
    )
  }

  jump(to: string, label: string, content: readonly Parts[], { inLink }: Place): Parts {
    const shown = makeElements(content)
    return asPart(
      inLink ? (
        shown
      ) : (
        <Jump to={to} label={label}>
          {shown}
        </Jump>
      ),
    )
  }

  private showNoteLink(target: string, heading: string | null, text: ComponentChild): VNode {
    const address = this.actions.resolve(target, heading)
    if (address !== null)
      return (
        <a class="md-note" href={address}>
          {text}
        </a>
      )
    const { create } = this.actions
    if (!create) return <span class="md-missing">{text}</span>
    const title = target.slice(0, MAX_TITLE_UNITS)
    return (
      <button type="button" class="md-missing" title={say`Create this note`} onClick={() => create(title)}>
        {text}
      </button>
    )
  }

  /** Shows a link to the first heading of the note itself that has this text or this id. */
  private showHeadingLink(written: string, text: ComponentChild): VNode {
    const id = this.read.findHeading(written)
    return id === undefined ? <span class="md-missing">{text}</span> : <Jump to={id}>{text}</Jump>
  }
}

function showTable(table: VNode): VNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard could not scroll it
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls
    <div class="md-table" role="group" aria-label={say`Table`} tabIndex={0}>
      {table}
    </div>
  )
}
