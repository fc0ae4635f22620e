/**
 * CSS of people, reduced to an allow-list. What comes out consists of names, numbers, colours and short texts in
 * quotes, so nothing in it can load anything or end the element that holds it, however a browser reads it.
 */

/** Properties that act on the element itself, and none that moves it over others. */
const PROPERTIES = new Set(
  [
    'align-content align-items align-self aspect-ratio background background-blend-mode background-clip background-color',
    'background-image background-origin background-position background-repeat background-size baseline-shift block-size',
    'border border-collapse border-radius border-spacing border-top-left-radius border-top-right-radius',
    'border-bottom-left-radius border-bottom-right-radius border-style border-width border-color box-shadow box-sizing',
    'break-after break-before break-inside caption-side clear color color-scheme column-count column-gap column-rule',
    'column-width columns content cursor direction display empty-cells filter flex flex-basis flex-direction flex-flow',
    'flex-grow flex-shrink flex-wrap float font font-family font-feature-settings font-kerning font-size font-stretch',
    'font-style font-variant font-variant-caps font-variant-east-asian font-variant-numeric font-weight gap grid',
    'grid-area grid-auto-columns grid-auto-flow grid-auto-rows grid-column grid-gap grid-row grid-template',
    'grid-template-areas grid-template-columns grid-template-rows height hyphens justify-content justify-items',
    'justify-self left letter-spacing line-break line-height list-style list-style-position list-style-type',
    'math-depth math-style max-height max-width min-height min-width mix-blend-mode object-fit object-position opacity',
    'order orphans outline outline-color outline-offset outline-style outline-width overflow overflow-wrap overflow-x',
    'overflow-y place-content place-items place-self position quotes right row-gap ruby-align ruby-position tab-size',
    'table-layout text-align text-align-last text-decoration text-decoration-color text-decoration-line',
    'text-decoration-style text-decoration-thickness text-emphasis text-emphasis-color text-emphasis-position',
    'text-emphasis-style text-indent text-justify text-orientation text-overflow text-rendering text-shadow',
    'text-transform text-underline-offset text-underline-position text-wrap top bottom transform transform-origin',
    'unicode-bidi vertical-align visibility white-space widows width word-break word-spacing word-wrap writing-mode',
    'z-index zoom inset -webkit-text-fill-color -webkit-text-stroke -webkit-font-smoothing -webkit-text-size-adjust',
  ]
    .join(' ')
    .split(' '),
)
const SIDED = /^(?:margin|padding|border)(?:-(?:top|right|bottom|left))?(?:-(?:color|style|width))?$/
const OWN_PROPERTY = /^--[a-z0-9_-]{1,64}$/i

/** The functions that values may call: none of them loads anything. */
const FUNCTIONS =
  /^(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color-mix|calc|min|max|clamp|var|repeat|minmax|fit-content|(?:repeating-)?(?:linear|radial|conic)-gradient|translate[xyz]?|rotate[xyz]?|scale[xyz]?|skew[xy]?|matrix|blur|brightness|contrast|drop-shadow|grayscale|hue-rotate|invert|opacity|saturate|sepia)$/i

/** A part of a value. Names have no escapes, and texts neither escapes nor `<`, which would end a `<style>`. */
const TOKEN =
  /([a-z_-][\w-]*)\(|#[0-9a-f]{3,8}\b|[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?:%|[a-z]{1,8})?|[a-z_-][\w-]*|"[^"\\<>\n\r\f]{0,200}"|'[^'\\<>\n\r\f]{0,200}'|![ \t]*important|[ \t\n\r\f]+|[,/*+-]|\)/iy

const MAX_VALUE_UNITS = 2000

/** Returns a value if all of its parts are allowed, else null. */
function readValue(value: string): string | null {
  if (value.length > MAX_VALUE_UNITS) return null
  const token = new RegExp(TOKEN)
  let depth = 0
  while (token.lastIndex < value.length) {
    const [text, name] = token.exec(value) ?? []
    if (text === undefined) return null
    if (name !== undefined) {
      if (!FUNCTIONS.test(name)) return null
      depth += 1
    } else if (text === ')' && --depth < 0) return null
  }
  const read = value.replace(/[ \t\n\r\f]+/g, ' ').trim()
  return depth === 0 && read !== '' ? read : null
}

function reduceDeclaration(declaration: string): string | null {
  const colon = declaration.indexOf(':')
  const written = declaration.slice(0, Math.max(colon, 0)).trim()
  const name = written.startsWith('--') ? written : written.toLowerCase()
  if (!PROPERTIES.has(name) && !SIDED.test(name) && !OWN_PROPERTY.test(name)) return null
  const value = readValue(declaration.slice(colon + 1).trim())
  if (value === null) return null
  // Its own containing block keeps what is absolute within the card; see CARD_STYLE.
  if (name === 'position' && !/^(?:static|relative|absolute)(?: ?! ?important)?$/i.test(value)) return null
  return `${name}:${value}`
}

/** Reduces the text of a `style` attribute, or of a rule between its braces. In linear time. */
export function reduceDeclarations(text: string): string {
  return splitOutside(withoutComments(text), ';')
    .flatMap((part) => reduceDeclaration(part) ?? [])
    .join(';')
}

function withoutComments(css: string): string {
  let kept = ''
  let at = 0
  for (let start = css.indexOf('/*'); start >= 0; start = css.indexOf('/*', at)) {
    kept += `${css.slice(at, start)} `
    const end = css.indexOf('*/', start + 2)
    if (end < 0) return kept
    at = end + 2
  }
  return kept + css.slice(at)
}

/** Splits at a mark that is not within quotes, or in brackets of any kind. */
function splitOutside(text: string, mark: ';' | ','): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length; at = skipQuoted(text, at)) {
    const sign = text[at] ?? ''
    if ('([{'.includes(sign)) depth += 1
    else if (')]}'.includes(sign)) depth = Math.max(0, depth - 1)
    else if (sign === mark && depth === 0) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, text.slice(from)]
}

/** Returns where the text goes on after the sign at a position, or after the quotes or the escape that begin there. */
function skipQuoted(text: string, at: number): number {
  const sign = text[at]
  if (sign === '\\') return at + 2
  if (sign !== '"' && sign !== "'") return at + 1
  for (let end = at + 1; end < text.length; end += text[end] === '\\' ? 2 : 1) {
    if (text[end] === sign) return end + 1
    // A line break ends a text that is not closed.
    if (text[end] === '\n') return end
  }
  return text.length
}

/**
 * The CSS of a note type, reduced to an allow-list of selectors and declarations, and restricted to the elements of its
 * cards: the last part of each selector matches only within the class of the note type.
 */

/** UTF-16 units of CSS that are read, and that come out. What is beyond is left out. */
const MAX_READ_UNITS = 256 * 1024
const MAX_WRITTEN_UNITS = 64 * 1024
const MAX_MEDIA_DEPTH = 3
/** Conditions have no functions. */
const MEDIA = /^@media\s(?:[\w\s),:.%-]|(?<=[\s(])\(){1,200}$/i

/** Returns the CSS for the elements within a class, with its rules in order. */
export function reduceStyleSheet(css: string, scope: string): string {
  const rules: string[] = []
  let room = MAX_WRITTEN_UNITS
  for (const rule of readRules(withoutComments(css.slice(0, MAX_READ_UNITS)), scope, MAX_MEDIA_DEPTH)) {
    room -= rule.length
    if (room < 0) break
    rules.push(rule)
  }
  return rules.join('')
}

function* readRules(css: string, scope: string, depth: number): Generator<string> {
  let from = 0
  for (let at = 0; at < css.length; ) {
    const sign = css[at]
    if (sign === '{') {
      const end = findClosing(css, at)
      yield* readRule(css.slice(from, at), css.slice(at + 1, end), scope, depth)
      from = at = end + 1
    } else if (sign === ';' || sign === '}') from = at += 1
    else at = skipQuoted(css, at)
  }
}

function* readRule(prelude: string, body: string, scope: string, depth: number): Generator<string> {
  const head = prelude.replace(/<!--|-->/g, '').trim()
  if (head.startsWith('@')) {
    if (depth === 0 || !MEDIA.test(head)) return
    const inner = [...readRules(body, scope, depth - 1)].join('')
    if (inner !== '') yield `${head.replace(/\s+/g, ' ')}{${inner}}`
    return
  }
  const declarations = reduceDeclarations(cutNestedRules(body))
  const selectors = splitOutside(head, ',').flatMap((selector) => reduceSelector(selector.trim(), scope))
  if (declarations !== '' && selectors.length > 0) yield `${selectors.join(',')}{${declarations}}`
}

/** Leaves out the rules within a rule, and what follows the first of them. In linear time. */
function cutNestedRules(body: string): string {
  const open = body.indexOf('{')
  return open < 0 ? body : body.slice(0, Math.max(body.lastIndexOf(';', open), body.lastIndexOf('}', open)) + 1)
}

/** Returns where the brace at a position is closed, or the end. */
function findClosing(css: string, open: number): number {
  let depth = 0
  for (let at = open; at < css.length; at = skipQuoted(css, at)) {
    if (css[at] === '{') depth += 1
    if (css[at] === '}' && --depth === 0) return at
  }
  return css.length
}

const PSEUDO_CLASS =
  /hover|focus|active|link|visited|empty|open|root|(?:first|last|only)-(?:child|of-type)|nth-(?:last-)?(?:child|of-type)\((?:odd|even|[\dn+-]{1,20})\)|not\([.#]?[\w-]{1,64}\)/
const COMPOUND = new RegExp(
  String.raw`^(\*|[a-z][a-z0-9-]{0,40})?((?:\.-?[a-z_][\w-]{0,80}|#-?[a-z_][\w-]{0,80}|:(?:${PSEUDO_CLASS.source}))*)(::?(?:before|after|first-letter|first-line|marker|selection))?$`,
  'i',
)
/** What the page sets on itself, not on the card. */
const NIGHT = /\.(?:nightMode|night_mode)(?![\w-])/
const PAGE = /^(?:html|body)$/i
const MAX_COMPOUNDS = 8
/** UTF-16 units of one selector, since the time to read it grows with the square. */
const MAX_SELECTOR_UNITS = 400

/** Returns the selectors for a selector, within a class; none if it is not allowed. */
function reduceSelector(selector: string, scope: string): string[] {
  if (selector.length > MAX_SELECTOR_UNITS) return []
  const parts = selector
    .replace(/\([^()]*\)/g, (inner) => inner.replace(/\s+/g, ''))
    .replace(/\s*([>+~])\s*(?![^()]*\))/g, ' $1 ')
    .trim()
    .split(/\s+/)
  const compounds = parts.filter((part) => !/^[>+~]$/.test(part))
  if (selector === '' || compounds.length > MAX_COMPOUNDS || /^[>+~]$/.test(parts.at(-1) ?? '>')) return []
  if (/^[>+~]/.test(selector) || !compounds.every((part) => COMPOUND.test(part))) return []
  const subject = parts.pop() ?? ''
  const before = parts.map((part) => (/^[>+~]$/.test(part) ? part : writeIds(part)))
  // The card says that it is at night by a class of its own, or the page by one of its body.
  const outer = NIGHT.exec(subject)?.[0]
  const rest = outer === undefined ? '' : subject.replace(NIGHT, '')
  const own = [...before, toSubject(subject, scope)].join(' ')
  return outer !== undefined && before.length === 0 ? [own, `${outer} ${toSubject(rest || '.card', scope)}`] : [own]
}

/** Restricts the last part of a selector to the class. */
function toSubject(compound: string, scope: string): string {
  const [, element = '', rest = '', pseudo = ''] = COMPOUND.exec(writeIds(compound)) ?? []
  const isPage = PAGE.test(element) || /:root(?![\w-])/.test(rest)
  const own = isPage ? `.card${rest.replace(/:root(?![\w-])/g, '')}` : `${element}${rest}`
  return `${own}:where(.${scope} *)${pseudo}`
}

/** Writes ids as the classes that they are in the HTML, since an id would be one of the page. */
function writeIds(compound: string): string {
  return compound.replaceAll('#', '.id-')
}
