import { readZone } from '../http/civil'
import { Refusal } from '../http/problem'
import { parseQuery, type Query, QueryError } from './query'

/**
 * Reads a query as a request brings it. Throws invalid_query with the column, and invalid_request for the zone.
 * @param tz the IANA name of the zone that dates are read in
 * @param now milliseconds since 1970
 */
export function readQuery(q: string, tz: string, now: number): Query {
  const zone = readZone(tz, '/tz')
  try {
    return parseQuery(q, { now, zone })
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    throw new Refusal('invalid_query', error.message, { column: error.column })
  }
}
