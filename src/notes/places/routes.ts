import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import type { Once } from '../../http/idempotency'
import { send } from '../../http/reply'
import { Problem } from '../../http/schema'
import { withLinksUpdated } from '../links/updated'
import { FolderPage, ListPlaces, Renamed, RenameFolder, RenameTag, TagPage } from './schema'
import type { NotePlaces } from './service'

interface Deps {
  readonly places: NotePlaces
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

export function notePlacesRoutes({ places, once, session }: Deps) {
  return new Elysia({ prefix: '/api/notes', tags: ['Notes'] })
    .get('/tags', ({ request, query }) => places.tags(session(request), query), {
      query: ListPlaces,
      response: { 200: TagPage },
      detail: {
        summary: 'List tags',
        description: 'Those in use, set by clients or written in bodies; the trash does not count.',
      },
    })
    .get('/folders', ({ request, query }) => places.folders(session(request), query), {
      query: ListPlaces,
      response: { 200: FolderPage },
      detail: { summary: 'List folders', description: 'Those with a note in them; the trash does not count.' },
    })
    .post(
      '/tags/rename',
      async ({ request, body, set }) =>
        send(
          set,
          await once(request, session(request), body, async (within) => ok(await places.renameTag(within, body))),
        ),
      {
        body: RenameTag,
        response: { 200: Renamed, 404: Problem, 409: Problem },
        detail: {
          summary: 'Rename a tag',
          description: 'In all notes at once, with what is nested below it; a tag of the new name is merged with it.',
        },
      },
    )
    .post(
      '/folders/rename',
      async ({ request, body, set }) =>
        send(
          set,
          await once(request, session(request), body, async (within) => {
            const { renamed, linksUpdated } = await places.renameFolder(within, body)
            return withLinksUpdated(ok(renamed), linksUpdated)
          }),
        ),
      {
        body: RenameFolder,
        response: { 200: Renamed, 404: Problem, 409: Problem },
        detail: {
          summary: 'Rename a folder',
          description:
            'Moves its notes and those below it; a folder of the new name is merged with it. Links that name the old path are rewritten; the header `X-Links-Updated` counts the notes rewritten.',
        },
      },
    )
}

function ok(body: Renamed) {
  return { status: 200, headers: {}, body }
}
