import { Elysia } from 'elysia'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas, Problem } from '../../http/schema'
import { ImportReport } from '../../imports/schema'
import { FolderPage, ListTagsQuery, RenameFolder, RenameResult, RenameTag, TagPage } from './schema'
import type { FoldersAndTags } from './service'

interface Deps {
  readonly foldersAndTags: FoldersAndTags
  readonly api: RequestPlugin
}

const MANY_NOTES_TEXT =
  'Up to 200 notes are changed at once, all or none. With more, other requests are served meanwhile: after 20 seconds `GET /api/imports/{id}` shows the progress; the work goes on after a crash and can be stopped, and what is done by then stays.'

nameSchemas({ FolderPage, TagPage, RenameResult })

export function folderAndTagRoutes({ foldersAndTags, api }: Deps) {
  return new Elysia({ prefix: '/api/notes', tags: ['Notes'] })
    .use(api)
    .get('/tags', ({ session, query }) => foldersAndTags.listTags(session, query), {
      query: ListTagsQuery,
      response: { 200: TagPage },
      detail: {
        operationId: 'listTags',
        summary: 'List tags',
        description: 'Those in use, set by clients or written in bodies; the trash does not count.',
      },
    })
    .get('/folders', ({ session, query }) => foldersAndTags.listFolders(session, query), {
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
      async ({ request, body, session, reply }) => reply.send(await foldersAndTags.renameTag(request, session, body)),
      {
        body: RenameTag,
        response: { 200: RenameResult, 202: ImportReport, 404: Problem, 409: Problem },
        detail: {
          operationId: 'renameTag',
          summary: 'Rename a tag',
          description: `With what is nested below it; a tag of the new name is merged with it. ${MANY_NOTES_TEXT}`,
        },
      },
    )
    .post(
      '/folders/rename',
      async ({ request, body, session, reply }) =>
        reply.send(await foldersAndTags.renameFolder(request, session, body)),
      {
        body: RenameFolder,
        response: { 200: RenameResult, 202: ImportReport, 404: Problem, 409: Problem },
        detail: {
          operationId: 'renameFolder',
          summary: 'Rename a folder',
          description: `Moves its notes and those below it; a folder of the new name is merged with it. Links that name the old path are rewritten; the header \`X-Links-Updated\` counts the notes rewritten. ${MANY_NOTES_TEXT}`,
        },
      },
    )
}
