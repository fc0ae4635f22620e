import { readInstant, readOptional } from '../../http/values'

/** Instants as they are stored and told. */

interface Told {
  readonly id: string
  readonly revision: number
  readonly created_at: string
  readonly updated_at: string
  readonly deleted_at: string | null
}

/** The members that every resource begins with, as they are stored. Throws invalid_request. */
export function readStamps({ id, revision, created_at, updated_at, deleted_at }: Told) {
  return {
    id,
    revision,
    created_at: readInstant(created_at, '/created_at'),
    updated_at: readInstant(updated_at, '/updated_at'),
    deleted_at: readOptional(deleted_at, '/deleted_at'),
  }
}
