import { parseFragment, serialize } from 'parse5'
import { showMedia } from '../../../src/flashcards/media/media-file'
import { renderCard } from '../../../src/flashcards/rendering/render-card'
import { elementsOf, type Finding } from '../../notes/html-tree'

/**
 * What the HTML of a card may hold, once more and by an independent parser: written from what the design says, not from
 * the code.
 */

const HTML =
  'style div p blockquote pre hr br dl dt dd ul ol li table thead tbody tfoot tr td th caption colgroup col summary details b del em i ins kbd mark s small strong sub sup u code h1 h2 h3 h4 h5 h6 a img span audio video input figure figcaption section article header footer main aside ruby rb rt rp rtc wbr bdi bdo abbr cite dfn q samp var big tt'
const SHAPES = 'svg rect ellipse polygon'
const MATHS =
  'math maction menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover semantics'
const ELEMENTS = new Set([...HTML.split(' '), ...`${SHAPES} ${MATHS}`.split(' ').map((name) => `foreign:${name}`)])
const SIGNED = /^\/signed\/[\w%.~-]+$/
const DATA = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=]+$/

function faultsOfStyle(css: string): string[] {
  return /url|@(?!media)|expression|image-set|position:(?:fixed|sticky)|behavior|binding|[<\\]|javascript/i.test(
    css.replace(/"[^"]*"|'[^']*'/g, '""').replace(/\.[\w-]+|--[\w-]+/g, ''),
  ) || /[<\\]/.test(css)
    ? [`css ${css}`]
    : []
}

function faultsOfElement({ element, attributes }: Finding): string[] {
  if (!ELEMENTS.has(element)) return [`<${element}>`]
  if (element === 'input' && attributes.class !== 'typeans') return ['<input> that is not ours']
  return Object.entries(attributes).flatMap(([name, value]) => {
    if (name === 'style') return faultsOfStyle(value)
    if (element === 'foreign:mo' && name === 'form') return /^(?:pre|post|in)fix$/.test(value) ? [] : [`form ${value}`]
    const isAddress = name === 'href' || name === 'src'
    const isFine =
      name === 'src'
        ? SIGNED.test(value) || DATA.test(value)
        : name === 'href'
          ? SIGNED.test(value) || /^(?:https?|mailto):/i.test(value) || isLocal(value)
          : /^(?!on|id$|name$|data-(?!speed$)|form|srcset|srcdoc|xlink|xmlns|target|ping|background$|action$|is$|slot$|autofocus$)[a-z-]+$/i.test(
              name,
            )
    return isFine ? [] : [`<${element} ${name}="${value}">${isAddress ? ' address' : ''}`]
  })
}

/** A link within the page leads nowhere that acts. */
function isLocal(address: string): boolean {
  if (!URL.canParse(address, 'https://a.example/b')) return true
  const { protocol } = new URL(address, 'https://a.example/b')
  return protocol === 'https:' || protocol === 'http:' || protocol === 'mailto:'
}

/** What could act in a fragment, or reach out of it; empty when all is well. */
export function cardFaults(html: string): string[] {
  const written = serialize(parseFragment(html))
  // What is written as it was read is written so again.
  const texts = new Set([html, written, ...(written === html ? [] : [serialize(parseFragment(written))])])
  const page = parseFragment(`<main>${html}</main><footer></footer>`).childNodes.map(({ nodeName }) => nodeName)
  const sheets = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, css = '']) => css)
  return [
    ...[...texts].flatMap((text) => elementsOf(text).flatMap(faultsOfElement)),
    ...sheets.flatMap(faultsOfStyle),
    ...sheets.flatMap(faultsOfRules),
    ...(page.join() === 'main,footer' ? [] : [`page of ${page}`]),
  ]
}

/** Each selector must end within a card. */
function faultsOfRules(css: string): string[] {
  const selectors = css
    .replace(/"[^"]*"|'[^']*'/g, '""')
    .replace(/@media[^{]*\{/g, '')
    .replace(/\{[^{}]*\}/g, ',')
    .split(',')
  return selectors.flatMap((selector) => {
    const one = selector.replace(/\}/g, '').trim()
    return one === '' || /:where\(\.card-\w+ \*\)(?:::?[a-z-]+)?$/.test(one) ? [] : [`selector ${one}`]
  })
}

export interface Written {
  readonly question?: string
  readonly answer?: string
  readonly css?: string
  readonly kind?: 'standard' | 'cloze' | 'image_occlusion'
  readonly fields?: Readonly<Record<string, string>>
  readonly ordinal?: number
}

/** Renders a card of a note type with the fields Front and Back, with all media there as pictures. */
export async function renderNote({
  question = '{{Front}}',
  answer = '{{FrontSide}}<hr id=answer>{{Back}}',
  ...given
}: Written) {
  const { css = '', kind = 'standard', ordinal = 0, fields = {} } = given
  const noteType = {
    anki_id: 1,
    name: 'n',
    kind,
    fields: ['Front', 'Back', ...Object.keys(fields)],
    css,
    settings: null,
  }
  const templates = [{ name: 'Card 1', question, answer }]
  const content = { noteType: { ...noteType, templates }, fields }
  return shown(await renderCard({ content, ordinal, tags: ['t'], deck: ['Deck', 'Sub'] }))
}

const shown = ({ prompt, answer }: { prompt: string; answer: string }) => ({
  prompt: showMedia(prompt, MEDIA),
  answer: showMedia(answer, MEDIA),
})

/** Renders a fact in Markdown. */
export const renderFact = async (texts: Partial<Record<'front' | 'back' | 'text' | 'extra' | 'hint', string>>) =>
  shown(
    await renderCard({
      content: {
        type: texts.text === undefined ? 'basic' : 'cloze',
        texts: { front: null, back: null, text: null, extra: null, hint: null, ...texts },
      },
      ...{ ordinal: 0, tags: [], deck: [] },
    }),
  )

/** Every name is a picture, but sounds and films by their endings, and what is called gone. */
const MEDIA = {
  get(name: string) {
    if (name.startsWith('gone')) return undefined
    const type = /\.mp3$/.test(name) ? 'audio/mpeg' : /\.mp4$/.test(name) ? 'video/mp4' : 'image/png'
    return { type, address: `/signed/${encodeURIComponent(name).replace(/[!'()*]/g, '')}` }
  },
} as ReadonlyMap<string, { type: string; address: string }>

/** The HTML within the box of the card. */
export const inner = (html: string) =>
  html.replace(/^[\s\S]*?<div class="card card\d+">/, '').replace(/<\/div><\/div>$/, '')
