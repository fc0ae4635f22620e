import { ApiError } from '../http/api-error'
import { readZone } from '../http/values'
import { fold } from './fold'
import { FIELDS, type IsProperty, MAX_LENGTH, parseQuery, type Query, QueryError } from './query'
import { tokensOf } from './tokens'

/**
 * Reads a query as a request brings it. Throws invalid_query with the column, and invalid_request for the zone.
 * @param tz the IANA name of the zone that dates are read in
 * @param now milliseconds since 1970
 * @param isProperty see `parseQuery`
 */
export function readQuery(q: string, tz: string, now: number, isProperty?: IsProperty): Query {
  const zone = readZone(tz, '/time_zone')
  try {
    return parseQuery(q, { now, zone }, isProperty)
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    throw new ApiError('invalid_query', error.message, { column: error.column })
  }
}

/** The names, folded, that a query means if they are those of properties: what `isProperty` will be asked. */
export function propertiesIn(text: string): ReadonlySet<string> {
  const names = new Set<string>()
  tokensOf(text.slice(0, 2 * MAX_LENGTH), (name) => {
    if (!FIELDS.includes(name)) names.add(fold(name))
    return true
  }).forEach(({ prefix, text: value }) => {
    if (prefix?.name === 'has') names.add(fold(value))
  })
  return names
}
