import type { Readable } from '../../db/portable'
import { readFilter } from '../filters'
import { markdownFiles } from '../transfer/export'

/** The notes outside the trash as Markdown files in their folders. */
export const readableNotes: Readable = async function* (read, workspace) {
  for await (const { name, content } of markdownFiles(read, workspace, readFilter({}, 'any')))
    yield { name: `notes/${name}`, content }
}
