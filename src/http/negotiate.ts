/**
 * Which representation an Accept header asks for (RFC 9110, section 12.5.1). Each offer takes the weight of the most
 * exact range that names it; the heaviest wins, among equals the one offered first.
 */

interface MediaRange {
  readonly type: string
  readonly subtype: string
  /** 0..1; what has 0 is not wanted. */
  readonly weight: number
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const QUOTED = '"(?:[\\t !#-[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*"'
const MEDIA_RANGE = new RegExp(
  `^(${TOKEN})/(${TOKEN})[ \\t]*((?:;[ \\t]*(?:${TOKEN}=(?:${TOKEN}|${QUOTED})[ \\t]*)?)*)$`,
)
const PARAMETER = new RegExp(`(${TOKEN})=(${TOKEN}|${QUOTED})`, 'g')
/** What stands between the commas of a list: a comma may be quoted. */
const ELEMENT = new RegExp(`(?:[^",]|${QUOTED})*`, 'y')
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/**
 * The offer that the header prefers: the first one when it is absent or malformed or when nothing offered fits, since a
 * readable answer is worth more than a refusal.
 * @param offers media types without parameters, in lower case, the server's favourite first
 */
export function preferredType<Offer extends string>(
  accept: string | null,
  offers: readonly [Offer, ...Offer[]],
): Offer {
  const ranges = accept === null ? null : readAccept(accept)
  if (!ranges) return offers[0]
  let best = offers[0]
  let heaviest = 0
  for (const offer of offers) {
    const weight = weightOf(offer, ranges)
    if (weight <= heaviest) continue
    best = offer
    heaviest = weight
  }
  return best
}

/** Null when it is malformed. Empty elements are allowed in any list. */
function readAccept(header: string): MediaRange[] | null {
  const ranges: MediaRange[] = []
  for (let at = 0; at < header.length; at = ELEMENT.lastIndex + 1) {
    ELEMENT.lastIndex = at
    const element = ELEMENT.exec(header)?.[0].trim() ?? ''
    // A quote that nothing closes ends an element, too.
    if (ELEMENT.lastIndex < header.length && header[ELEMENT.lastIndex] !== ',') return null
    if (element === '') continue
    const range = readRange(element)
    if (!range) return null
    if (range !== 'other') ranges.push(range)
  }
  return ranges
}

/** `other` is a range with parameters of its own, such as `text/html;level=1`: we offer nothing of the kind. */
function readRange(element: string): MediaRange | 'other' | null {
  const [, type, subtype, parameters] = MEDIA_RANGE.exec(element) ?? []
  if (type === undefined || subtype === undefined || parameters === undefined) return null
  if (type === '*' && subtype !== '*') return null
  let weight = 1
  for (const [, name = '', value = ''] of parameters.matchAll(PARAMETER)) {
    // Everything we send is UTF-8, so a charset narrows nothing.
    if (name.toLowerCase() === 'charset') continue
    if (name.toLowerCase() !== 'q') return 'other'
    if (!WEIGHT.test(value)) return null
    weight = Number(value)
    // What follows are extensions, which no longer narrow the range.
    break
  }
  return { type: type.toLowerCase(), subtype: subtype.toLowerCase(), weight }
}

/** 0 when no range names it. Of two equally exact ranges the heavier counts. */
function weightOf(offer: string, ranges: readonly MediaRange[]): number {
  const [type, subtype] = offer.split('/')
  const exactness = (range: MediaRange): number => {
    if (range.type === '*') return 1
    if (range.type !== type) return 0
    if (range.subtype === '*') return 2
    return range.subtype === subtype ? 3 : 0
  }
  const exactest = Math.max(0, ...ranges.map(exactness))
  if (exactest === 0) return 0
  return Math.max(...ranges.filter((range) => exactness(range) === exactest).map(({ weight }) => weight))
}
