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

/** UTF-16 units of a value. */
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

/** Returns `name:value` of a declaration; null if it is not allowed. */
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

export function withoutComments(css: string): string {
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
export function splitOutside(text: string, mark: ';' | ','): string[] {
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
export function skipQuoted(text: string, at: number): number {
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
