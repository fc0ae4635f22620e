import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import { send } from '../../http/responses'
import { Problem } from '../../http/schema'
import { ImportReport } from '../../imports/schema'
import { FolderPage, ListTagsQuery, RenameFolder, RenameResult, RenameTag, TagPage } from './schema'
import type { FoldersAndTags } from './service'

interface Deps {
  readonly places: FoldersAndTags
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

const MANY =
  'Up to 200 notes are changed at once, all or none. With more, others need not wait meanwhile: what takes more than 20 seconds is told by `GET /api/imports/{id}`, goes on after a crash, and can be stopped, where what is done stays.'

export function folderAndTagRoutes({ places, session }: Deps) {
  return new Elysia({ prefix: '/api/notes', tags: ['Notes'] })
    .get('/tags', ({ request, query }) => places.tags(session(request), query), {
      query: ListTagsQuery,
      response: { 200: TagPage },
      detail: {
        operationId: 'listTags',
        summary: 'List tags',
        description: 'Those in use, set by clients or written in bodies; the trash does not count.',
      },
    })
    .get('/folders', ({ request, query }) => places.folders(session(request), query), {
      query: ListTagsQuery,
      response: { 200: FolderPage },
      detail: {
        operationId: 'listFolders',
        summary: 'List folders',
        description: 'Those with a note in them; the trash does not count.',
      },
    })
    .post(
      '/tags/rename',
      async ({ request, body, set }) => send(set, await places.renameTag(request, session(request), body)),
      {
        body: RenameTag,
        response: { 200: RenameResult, 202: ImportReport, 404: Problem, 409: Problem },
        detail: {
          operationId: 'renameTag',
          summary: 'Rename a tag',
          description: `With what is nested below it; a tag of the new name is merged with it. ${MANY}`,
        },
      },
    )
    .post(
      '/folders/rename',
      async ({ request, body, set }) => send(set, await places.renameFolder(request, session(request), body)),
      {
        body: RenameFolder,
        response: { 200: RenameResult, 202: ImportReport, 404: Problem, 409: Problem },
        detail: {
          operationId: 'renameFolder',
          summary: 'Rename a folder',
          description: `Moves its notes and those below it; a folder of the new name is merged with it. Links that name the old path are rewritten; the header \`X-Links-Updated\` counts the notes rewritten. ${MANY}`,
        },
      },
    )
}
