import { readZone } from '../http/civil'
import { Refusal } from '../http/problem'
import { type IsProperty, parseQuery, type Query, QueryError } from './query'

/**
 * Reads a query as a request brings it. Throws invalid_query with the column, and invalid_request for the zone.
 * @param tz the IANA name of the zone that dates are read in
 * @param now milliseconds since 1970
 * @param isProperty see `parseQuery`
 */
export function readQuery(q: string, tz: string, now: number, isProperty?: IsProperty): Query {
  const zone = readZone(tz, '/tz')
  try {
    return parseQuery(q, { now, zone }, isProperty)
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    throw new Refusal('invalid_query', error.message, { column: error.column })
  }
}
