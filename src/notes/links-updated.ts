import type { TSchema } from '@sinclair/typebox'
import type { Session } from '../db/database'
import { changed, type Outcome, type Tagged } from '../http/responses'
import { ImportReport } from '../imports/schema'
import type { Imports } from '../imports/service'

/** The result of a run that rewrites the links to renamed notes. */
export interface LinksUpdated {
  readonly links_updated: number
  /** Ids of notes whose links could not be rewritten; the first 100. */
  readonly notes_left: readonly string[]
}

export function toLinksUpdatedHeader(notes: number): { 'X-Links-Updated': string } {
  return { 'X-Links-Updated': String(notes) }
}

/** Adds that header to an outcome. */
export function withLinksUpdated<Body>(outcome: Outcome<Body>, notes: number): Outcome<Body> {
  return { ...outcome, headers: { ...outcome.headers, ...toLinksUpdatedHeader(notes) } }
}

/** A resource that was renamed, and what became of the links to it. */
interface Relinked<Resource> {
  readonly now: Tagged<Resource>
  /** Notes that were rewritten in the same transaction. */
  readonly linksUpdated: number
  /** The id of the run that rewrites them instead; null if there is none. */
  readonly run: string | null
  /** Reads the resource after the run. */
  readonly read: (updated: LinksUpdated) => Promise<Tagged<Resource>>
}

/**
 * Returns the resource with the header, after the run that rewrites the links to it, if there is one; the report of the
 * run if that takes long.
 * @throws ApiError the error of the run
 */
export async function answerRelinked<Resource>(
  { imports, request, session }: { imports: Pick<Imports, 'waitForOutcome'>; request: Request; session: Session },
  { now, linksUpdated, run, read }: Relinked<Resource>,
): Promise<Outcome<Resource | ImportReport>> {
  if (run === null) return withLinksUpdated(changed(now), linksUpdated)
  const outcome = await imports.waitForOutcome<LinksUpdated>(request, session, run)
  if (!('links_updated' in outcome.body)) return { ...outcome, body: outcome.body }
  return withLinksUpdated(changed(await read(outcome.body)), outcome.body.links_updated)
}

/** What the document says of the responses of such a change. */
export const relinkedResponses = (schema: TSchema, ...errors: readonly number[]) => ({
  200: {
    headers: {
      'X-Links-Updated': {
        description: 'The number of notes whose links were rewritten.',
        schema: { type: 'integer', minimum: 0 },
      },
    },
    content: { 'application/json': { schema } },
  },
  202: { content: { 'application/json': { schema: ImportReport } } },
  ...Object.fromEntries(errors.map((status) => [status, {}])),
})
