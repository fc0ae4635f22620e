import sanitizeHtml from 'sanitize-html'
import {
  DATA_PICTURE,
  LINK_SCHEMES,
  OTHER_HOST,
  readAddress,
  STRICT_ADDRESSES,
  TEXT_ELEMENTS,
} from '../../lib/markdown/allowed-html.ts'
import { readMarks, takeMathsOutOfField } from '../../lib/markdown/maths.ts'
import { decodeEntities, markSounds, SOUND_TAG } from '../facts/field-html.ts'
import { decodeAddress, MEDIA_SCHEME, writeMediaPlace, writeRemotePlace } from '../media/media-file.ts'
import { reduceDeclarations } from './styles.ts'

/** UTF-16 units of one side, before and after. */
const MAX_SIDE_UNITS = 2 * 1024 * 1024
/** UTF-16 units of the MathML of one side; formulas after the one that exceeds it are shown as they are. */
const MAX_MATHML_UNITS = 512 * 1024

/**
 * HTML of fields and templates, reduced to an allow-list of elements and attributes. Nothing in it runs, loads anything
 * of another host, or has an id or a name. What is written after the reduction is made by us: maths, masks, text fields.
 */

/** Elements for our own marks. A field may hold them, too: then it shows what the card has anyway. */
const OWN = { sound: 'anki-sound', typed: 'anki-typed', occluded: 'anki-occluded', speech: 'anki-speech' } as const
const SILENT =
  'script style textarea option noscript button select canvas iframe object svg title template math noembed noframes xmp'
/** Elements of Anki's editor that have become attributes since. */
const ALIGNED: Readonly<Record<string, string>> = { center: 'center' }
const SIZES = ['', 'x-small', 'small', 'medium', 'large', 'x-large', 'xx-large', 'xxx-large']

const CLASSES = /^[a-z_][\w-]{0,80}$/i
const MAX_CLASSES = 20
const CELL = { colspan: /^\d{1,3}$/, rowspan: /^\d{1,3}$/, align: /^(?:left|center|right)$/ }
const SIZE = { width: /^\d{1,4}(?:px|%)?$/, height: /^\d{1,4}(?:px|%)?$/ }
/** The attributes of elements besides class, style, title, lang and dir, with their values. */
const ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  a: { href: /^/ },
  img: { src: /^/, alt: /^/, ...SIZE },
  [OWN.sound]: { src: /^/ },
  // As fast as usual is not said.
  [OWN.speech]: { 'data-speed': /^(?!1$)\d{1,2}(?:\.\d{1,3})?$/ },
  ol: { start: /^\d{1,9}$/, type: /^[1aAiI]$/ },
  ul: { type: /^(?:disc|circle|square)$/ },
  th: CELL,
  td: { ...CELL, ...SIZE },
  table: { ...SIZE, border: /^\d{1,2}$/, cellpadding: /^\d{1,2}$/, cellspacing: /^\d{1,2}$/, align: CELL.align },
  details: { open: /^/ },
}
const COMMON: Readonly<Record<string, RegExp>> = { title: /^/, lang: /^[\w-]{1,20}$/, dir: /^(?:ltr|rtl|auto)$/ }

const ALLOWLIST = {
  ...STRICT_ADDRESSES,
  allowedTags: [
    ...TEXT_ELEMENTS,
    ...'a img span summary details caption figure figcaption section article header footer main aside'.split(' '),
    ...'ruby rb rt rp rtc wbr bdi bdo abbr cite dfn q samp var big tt colgroup col tfoot'.split(' '),
    ...Object.values(OWN),
  ],
  allowedAttributes: {
    '*': ['class', 'style', 'hidden', 'data-speed', ...Object.keys(COMMON)],
    ...Object.fromEntries(Object.entries(ATTRIBUTES).map(([name, patterns]) => [name, Object.keys(patterns)])),
  },
  allowedEmptyAttributes: ['alt', 'hidden'],
  allowedSchemesByTag: { a: [...LINK_SCHEMES], img: ['data', MEDIA_SCHEME], [OWN.sound]: [MEDIA_SCHEME] },
  allowedSchemesAppliedToAttributes: ['href', 'src'],
  nonTextTags: SILENT.split(' '),
  parseStyleAttributes: false,
}

export const removeSounds = (html: string): string => html.replace(SOUND_TAG, '')

/** Marks the first picture of a field as the one that masks cover. */
export function markOccluded(html: string): string {
  return html.replace(/<img\b[^<>]*>/i, (picture) => `<${OWN.occluded}>${picture}</${OWN.occluded}>`)
}

interface SafeHtml {
  /** With the media as marks, see media-file.ts. */
  readonly html: string
  readonly hasMaths: boolean
}

/**
 * Reduces HTML, and writes its maths. Throws RangeError if a side is too long.
 * @param masks the masks over the picture that markOccluded marked
 */
export async function sanitizeCard(source: string, masks: string): Promise<SafeHtml> {
  refuseLong(source.length)
  const { text, restore } = takeMathsOutOfField(markSounds(source), decodeEntities)
  const unmark = (value: string) => {
    const whole = restore(value, (maths) => maths)
    // Entities can spell marks: in an attribute, none may be left for the maths.
    return whole === value ? value : whole.replace(/[\ue000-\uf8ff]/g, '')
  }
  const safe = sanitizeHtml(text, {
    ...ALLOWLIST,
    transformTags: { '*': (tagName, attributes) => filterElement(tagName, attributes, unmark) },
  })
  let hasMaths = false
  restore(safe, () => {
    hasMaths = true
    return ''
  })
  const writeMaths: WriteMaths = hasMaths ? await createMathsWriter() : Bun.escapeHTML
  return { html: writeOwn(restore(safe, writeMaths), masks), hasMaths }
}

type WriteMaths = (maths: string) => string

/** Loads Temml, on first use, and returns what writes the formulas of one card, with their marks, as HTML. */
async function createMathsWriter(): Promise<WriteMaths> {
  const { writeTex } = await import('../../lib/markdown/tex.ts')
  let room = MAX_MATHML_UNITS
  const write = (tex: string, isBlock: boolean): string | null => {
    const mathml = room < 0 ? null : writeTex(tex, isBlock)
    room -= mathml?.length ?? 0
    return mathml
  }
  return (maths) => {
    const { tex, kind } = readMarks(maths)
    const written = kind === 'text' ? writeLatex(tex, write) : write(tex, kind === 'display')
    return written ?? Bun.escapeHTML(maths)
  }
}

const INNER = /(?<!\\)(\$\$?|\\\(|\\\[)((?:\\\$|[^$]){1,4096}?)(?:\$\$?|\\\)|\\\])/g

/** Writes the text of a LaTeX document: its maths, or if it marks none, all of it as one formula. */
function writeLatex(text: string, write: (tex: string, isBlock: boolean) => string | null): string | null {
  const parts = [...text.matchAll(INNER)]
  if (parts.length === 0) return write(text, true)
  let from = 0
  let html = ''
  for (const { 0: part, 1: mark, 2: tex = '', index } of parts) {
    html += writeText(text.slice(from, index))
    html += write(tex, mark === '$$' || mark === '\\[') ?? Bun.escapeHTML(part)
    from = index + part.length
  }
  return html + writeText(text.slice(from))
}

/** Writes text of LaTeX, where a dollar needs a backslash. */
const writeText = (text: string): string => Bun.escapeHTML(text.replaceAll('\\$', '$'))

const TYPED = '<input type="text" class="typeans" autocomplete="off" aria-label="Answer">'
const OCCLUDED_STYLE = 'position:relative;display:inline-block;max-width:100%;line-height:0'

/** Writes what our marks stand for. A field may hold the mark of the picture thousands of times. */
function writeOwn(html: string, masks: string): string {
  refuseLong(html.length + (html.split('</anki-occluded>').length - 1) * masks.length)
  return html
    .replace(/<anki-sound>|<\/anki-sound>/g, '')
    .replace(/<anki-typed[^<>]*>/g, TYPED)
    .replaceAll('</anki-typed>', '')
    .replace(/<anki-occluded[^<>]*>/g, `<span class="occlusion" style="${OCCLUDED_STYLE}">`)
    .replaceAll('</anki-occluded>', () => `${masks}</span>`)
}

function refuseLong(units: number): void {
  if (units > MAX_SIDE_UNITS) throw new RangeError('A side is too long')
}

/** Removes what is not on the allow-list from an element. Ids become classes, which belong to the card. */
function filterElement(
  name: string,
  attributes: sanitizeHtml.Attributes,
  unmark: (value: string) => string,
): sanitizeHtml.Tag {
  const tagName = toTagName(name)
  const patterns = Object.hasOwn(ATTRIBUTES, tagName) ? ATTRIBUTES[tagName] : {}
  const allowed: Readonly<Record<string, RegExp>> = { ...COMMON, ...patterns }
  const kept = Object.entries(attributes)
    .map(([attribute, value]): [string, string] => [attribute, unmark(value)])
    .filter(([attribute, value]) => Object.hasOwn(allowed, attribute) && allowed[attribute]?.test(value))
  const { src, ...attribs } = Object.fromEntries(kept)
  const classes = readClasses(attributes, unmark)
  const style = reduceDeclarations([unmark(attributes.style ?? ''), styleOfElement(name, attributes)].join(';'))
  const own = {
    ...attribs,
    ...(classes === '' ? {} : { class: classes }),
    ...(style === '' ? {} : { style }),
  }
  if (tagName === 'img') return toPicture(src ?? '', own)
  // For a program that speaks it.
  if (tagName === OWN.speech) return { tagName: 'span', attribs: { ...own, class: 'tts', hidden: '' } }
  if (tagName === OWN.sound) {
    const sound = name === OWN.sound ? src : decodeAddress(src ?? '')
    return { tagName, attribs: sound ? { src: writeMediaPlace(sound) } : {} }
  }
  return { tagName, attribs: own }
}

function toTagName(name: string): string {
  if (name === 'font') return 'span'
  if (name === 'center') return 'div'
  if (name === 'strike') return 's'
  return /^(?:audio|video|source|embed)$/.test(name) ? OWN.sound : name
}

function styleOfElement(name: string, { color = '', size = '', face = '' }: sanitizeHtml.Attributes): string {
  if (name !== 'font') return ALIGNED[name] === undefined ? '' : `text-align:${ALIGNED[name]}`
  const large = SIZES[Number(size)] ?? ''
  return `color:${color};font-family:${face};font-size:${large}`
}

function readClasses({ class: names = '', id = '' }: sanitizeHtml.Attributes, unmark: (text: string) => string) {
  const own = CLASSES.test(id) ? [`id-${id}`] : []
  const given = unmark(names)
    .split(/\s+/, MAX_CLASSES)
    .filter((name) => CLASSES.test(name))
  return [...given, ...own].join(' ')
}

/** A picture of the card is marked, one in its address stays, and one of another host is a link. */
function toPicture(src: string, attribs: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const address = readAddress(src)
  if (DATA_PICTURE.test(src)) return { tagName: 'img', attribs: { src, ...attribs } }
  if (OTHER_HOST.test(address)) return { tagName: 'img', attribs: { src: writeRemotePlace(address), ...attribs } }
  const isNamed = address !== '' && !/^(?:[a-z][a-z0-9+.-]*:|[/\\])/i.test(address)
  return { tagName: 'img', attribs: isNamed ? { src: writeMediaPlace(decodeAddress(src)), ...attribs } : attribs }
}
