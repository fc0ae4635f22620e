import { Elysia } from 'elysia'
import { refuses } from '../../http/api-error'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas, Problem } from '../../http/schema'
import { ImportReport } from '../../imports/schema'
import { FolderPage, ListTagsQuery, RenameFolder, RenameResult, RenameTag, TagPage } from './schema'
import type { FoldersAndTags } from './service'

const MANY_NOTES_TEXT =
  'Up to 200 notes are changed together, all or none. More notes are changed in the background: if that takes more than 20 seconds, `GET /api/imports/{id}` shows the progress. The work continues after a crash. It can be stopped; notes that are already changed then stay changed.'

nameSchemas({ FolderPage, TagPage, RenameResult })

export function folderAndTagRoutes({ foldersAndTags, api }: { foldersAndTags: FoldersAndTags; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/notes', tags: ['Folders and tags'] })
    .use(api)
    .get('/tags', ({ session, query }) => foldersAndTags.listTags(session, query), {
      query: ListTagsQuery,
      response: { 200: TagPage },
      detail: {
        operationId: 'listTags',
        ...refuses('invalid_cursor'),
        summary: 'List tags',
        description: 'Lists the tags in use, set by clients or written in bodies. Notes in the trash do not count.',
      },
    })
    .get('/folders', ({ session, query }) => foldersAndTags.listFolders(session, query), {
      query: ListTagsQuery,
      response: { 200: FolderPage },
      detail: {
        operationId: 'listFolders',
        ...refuses('invalid_cursor'),
        summary: 'List folders',
        description: 'Lists the folders that contain a note. Notes in the trash do not count.',
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
          ...refuses('not_found', 'too_many_affected'),
          summary: 'Rename a tag',
          description: `Also renames the tags nested below it. An existing tag of the new name is merged with it. ${MANY_NOTES_TEXT}`,
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
          ...refuses('not_found', 'rewrite_impossible', 'too_many_affected'),
          summary: 'Rename a folder',
          description: `Moves its notes and attachments and those in folders below it. An existing folder of the new name is merged with it. If it has an attachment of the same path, nothing is changed (409). Links with the old path are rewritten; the header \`X-Links-Updated\` counts the rewritten notes. ${MANY_NOTES_TEXT}`,
        },
      },
    )
}
