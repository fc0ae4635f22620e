import { reduceDeclarations, skipQuoted, splitOutside, withoutComments } from './declarations'

/**
 * The CSS of a note type, reduced to an allow-list of selectors and declarations, and restricted to the elements of its
 * cards: the last part of each selector matches only within the class of the note type.
 */

/** UTF-16 units of CSS that are read, and that come out. What is beyond is left out. */
const MAX_READ_UNITS = 256 * 1024
const MAX_WRITTEN_UNITS = 64 * 1024
/** Levels of `@media` within each other. */
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
/** Parts of one selector. */
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
