/** What a caller prefers of several offers, by a header such as `text/html, text/*;q=0.5` (RFC 9110, section 12.5). */

const WEIGHT = /^q\s*=\s*([01](?:\.\d{0,3})?)$/
/** All our texts are UTF-8, so it does not matter; with another parameter, a media type is none of our offers. */
const CHARSET = /^charset\s*=/

/**
 * Reads the weights of the names in a header, in lower case; of several for one name, the highest. What is malformed is
 * left out. What follows a weight is an extension, which does not restrict its element.
 */
function readWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const element of header.toLowerCase().split(',')) {
    const [name = '', ...all] = element.split(';').map((part) => part.trim())
    const [first = 'q=1'] = all.filter((parameter) => parameter !== '' && !CHARSET.test(parameter))
    const value = WEIGHT.exec(first)?.[1]
    if (value !== undefined) weights.set(name, Math.max(weights.get(name) ?? 0, Math.min(1, Number(value))))
  }
  return weights
}

/** Returns the offer with the highest weight above 0, the first one of equals; null if there is none. */
function heaviest<Offer extends string>(offers: readonly Offer[], weightOf: (offer: Offer) => number): Offer | null {
  const weights = offers.map(weightOf)
  const most = Math.max(...weights)
  return most > 0 ? (offers[weights.indexOf(most)] ?? null) : null
}

export type Coding = 'br' | 'gzip'

/**
 * Chooses the coding that an Accept-Encoding header prefers. Returns null if the body should be sent as it is: without the
 * header, if it names none of the offers, or if it prefers `identity`.
 */
export function preferredCoding(header: string | null, offers: readonly Coding[]): Coding | null {
  if (!header) return null
  const weights = readWeights(header.replace(/x-gzip/gi, 'gzip'))
  const weightOf = (offer: Coding) => weights.get(offer) ?? weights.get('*') ?? 0
  const best = heaviest(offers, weightOf)
  return best === null || weightOf(best) < (weights.get('identity') ?? 0) ? null : best
}

/**
 * Chooses the offer that an Accept header prefers: each has the weight of the most specific range that matches it. If no
 * offer is acceptable, it returns the first one, since a response is more useful than an error.
 * @param offers media types without parameters, in lower case, the server's favourite first
 */
export function preferredType<Offer extends string>(
  accept: string | null,
  offers: readonly [Offer, ...Offer[]],
): Offer {
  const weights = readWeights(accept ?? '')
  const weightOf = (offer: Offer) =>
    [offer, `${offer.split('/', 1)}/*`, '*/*']
      .map((range) => weights.get(range))
      .find((weight) => weight !== undefined) ?? 0
  return heaviest(offers, weightOf) ?? offers[0]
}
