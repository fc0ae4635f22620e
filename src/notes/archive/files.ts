import { Elysia, t } from 'elysia'
import { type ArchiveFile, type FilesForPeople, readPages } from '../../archive/archived-type'
import type { Context, Reader, Session, Snapshot } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { refuses } from '../../http/api-error'
import { sendAttachment, streamExport } from '../../http/responses'
import { file } from '../../http/schema'
import { ImportReport } from '../../imports/schema'
import type { Imports } from '../../imports/service'
import { stripExtension } from '../../lib/file-target'
import type { ZipParts } from '../../lib/zip/write'
import { exportAttachments, findLinkedFiles } from '../attachments/archive'
import type { AttachmentRow } from '../attachments/store'
import { EXTENSION, MAX_MADE_NAME_BYTES, toSafeFolder, toSafeName } from '../file-name'
import { type NoteFilter, readFilter } from '../filters'
import { createNotesImportOrder } from '../import/import-notes'
import { mayHaveLinks } from '../links/body-links'
import { getLinkName, toFolderKey, toLinkPath, toNameKey } from '../links/names'
import { isSpellable, type LinkRewrite, rewriteLinks, spellById } from '../links/rewrite-links'
import { listLinksFrom, type ResolvedLink } from '../links/store'
import { ExportNotesQuery, ImportNotesQuery } from '../schema'
import { getNotesByKey, LOCATION, type NoteRow } from '../store'
import { listNotePathsAfter, listNotesAfter, type StoredNote } from './store'

/**
 * Makes a function that returns the path of each note of an export: its folder and its file name, else `Title.md`; or
 * `Title (2).md` if that is taken.
 */
export function createNamer(): (folder: string | null, title: string, fileName?: string | null) => string {
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  return (folder, title, fileName = null) => {
    const { directory, stem, extension, path: first } = getOwnPath(folder, title, fileName)
    for (let n = (counts.get(foldPath(first)) ?? 0) + 1; ; n++) {
      const suffix = ` (${n})`
      const path =
        n === 1
          ? first
          : directory + toSafeName(stem, MAX_MADE_NAME_BYTES - extension.length - suffix.length) + suffix + extension
      if (taken.has(foldPath(path))) continue
      counts.set(foldPath(first), n)
      taken.add(foldPath(path))
      return path
    }
  }
}

function getOwnPath(folder: string | null, title: string, fileName: string | null) {
  const directory = folder === null ? '' : `${toSafeFolder(folder)}/`
  const stem = fileName === null ? title.normalize('NFC') : stripExtension(fileName)
  const extension = fileName?.slice(stem.length) ?? EXTENSION
  const name = fileName ?? toSafeName(stem, MAX_MADE_NAME_BYTES - extension.length) + extension
  return { directory, stem, extension, path: directory + name }
}

/** Folds a path for comparison: on some systems, names that differ only in case are the same. */
function foldPath(path: string): string {
  return path.toLowerCase().normalize('NFC')
}

/** Notes in one read, without their bodies. */
const PATHS_PER_READ = 500
/** What can change how a wiki link with a title is parsed. */
const UNLINKABLE = /[[\]#^|`%\\]/g

interface ExportedNames {
  readonly notes: ReadonlySet<number>
  /** The paths of the notes that links do not find by the name of their file. */
  readonly renamed: ReadonlyMap<number, string>
}

/**
 * Names the files of an export, in the order of the notes' ids. Of a note in a link, a title that links cannot spell gives
 * a name that they can. In memory are a number for each note and the paths of those that are renamed, beside what the namer
 * keeps.
 */
async function nameFiles(reader: Reader, filter: NoteFilter): Promise<ExportedNames> {
  const [notes, renamed, getName] = [new Set<number>(), new Map<number, string>(), createNamer()]
  const list = (after: string) => listNotePathsAfter(reader, after, PATHS_PER_READ, filter)
  for await (const page of readPages('', list, ({ id }) => id))
    for (const { key, folder, title, file_name, links_in } of page) {
      notes.add(key)
      const path = getName(
        folder,
        links_in > 0 && !isSpellable(title) ? title.replace(UNLINKABLE, '-') : title,
        file_name,
      )
      const isFound = toNameKey(getFileName(path)) === toNameKey(getLinkName({ title, file_name }))
      if (!isFound || path !== getOwnPath(folder, title, file_name).path) renamed.set(key, path)
    }
  return { notes, renamed }
}

/** A note as its file has it: its path, its body, and its file name if an import must know it to find the links. */
async function toNoteFile<Note extends NoteRow>(
  reader: Reader,
  note: Note,
  names: ExportedNames,
): Promise<{ readonly path: string; readonly note: Note }> {
  const renamed = names.renamed.get(note.key)
  const path = renamed ?? getOwnPath(note.folder, note.title, note.file_name).path
  const body = await rewriteForFiles(reader, note, names)
  const file_name = renamed !== undefined && note.links_in > 0 ? getFileName(path) : note.file_name
  return { path, note: { ...note, body, file_name } }
}

/**
 * Returns the body with the links by id, and those to notes whose file has another name, as paths of files. Others stay:
 * links to notes that are not in the export, or whose path no link can spell or no import would keep.
 */
async function rewriteForFiles(
  reader: Reader,
  { key, folder, body }: NoteRow,
  { notes, renamed }: ExportedNames,
): Promise<string> {
  if (!mayHaveLinks(body) || (renamed.size === 0 && !/\[\[\s*note:/i.test(body))) return body
  const links = (await listLinksFrom(reader, key)).filter(
    ({ target_key, resolved }) => renamed.has(resolved) || (target_key.startsWith('note:') && notes.has(resolved)),
  )
  if (links.length === 0) return body
  const rows = await getNotesByKey(reader, [...new Set(links.map(({ resolved }) => resolved))], LOCATION)
  const locations = new Map(rows.map((row) => [row.key, row]))
  const rewrites = new Map<string, LinkRewrite>()
  for (const link of links) {
    const location = locations.get(link.resolved)
    // An import puts a note into its folder, whatever that of the file is called.
    if (!location || (location.folder !== null && toSafeFolder(location.folder) !== location.folder)) continue
    rewrites.set(link.target_key, planRewrite(link, location, renamed.get(link.resolved)))
  }
  return rewriteLinks(body, rewrites, { from: folder, to: folder }) ?? body
}

/** @param path of the file, if it has another name than the note */
function planRewrite(
  { target_key, folder_key }: ResolvedLink,
  note: Pick<NoteRow, 'id' | 'title' | 'file_name' | 'folder'>,
  path?: string,
): LinkRewrite {
  const name = path === undefined ? getLinkName(note) : stripExtension(getFileName(path))
  const target = toLinkPath(note.folder, name)
  const safe = spellById(note.id, note.title)
  const own = [getLinkName(note), note.title].map((one) => `${toFolderKey(note.folder)}/${toNameKey(one)}`)
  const isRelative = folder_key !== '' && own.includes(`${folder_key}/${target_key}`)
  return {
    wanted: isSpellable(target) ? { ...safe, target } : null,
    safe,
    step: isRelative ? 'below_folder' : 'by_name',
    path: { folder: note.folder, name },
    plainLeads: false,
    pathLeads: true,
  }
}

function getFileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/**
 * Exports notes as Markdown files. A note with a file name keeps it, as folders keep their names; the names of all other
 * files are valid on every operating system. All are distinct on every system, and links lead to the file of their note.
 */

/** The most notes in one read; large ones are fewer, see READ_BYTES in the store. */
const NOTES_PER_READ = 100

/** Yields a Markdown file for each note, in the order of their ids. `meet` is called with each of them before. */
async function* writeMarkdownFiles(
  reader: Reader,
  filter: NoteFilter,
  meet: (note: StoredNote) => Promise<void> = async () => {},
): AsyncGenerator<ArchiveFile> {
  // Only exports write YAML, so the library is not loaded at startup.
  const { writeNoteFrontMatter } = await import('../import/write-front-matter')
  const names = await nameFiles(reader, filter)
  const list = (after: string) => listNotesAfter(reader, after, NOTES_PER_READ, filter)
  for await (const notes of readPages('', list, ({ id }) => id))
    for (const stored of notes) {
      await meet(stored)
      const { path: name, note } = await toNoteFile(reader, stored, names)
      const content = Buffer.from(writeNoteFrontMatter(note, name) + note.body)
      yield { name, content, changed_at: note.updated_at }
    }
}

/**
 * Yields the notes, then the attachments: all of them, or of some notes those that they show or link to, and of a folder
 * those in it as well. In memory is one number for each linked attachment.
 */
async function* writeVault(reader: Reader, filter: NoteFilter): AsyncGenerator<ZipParts> {
  const { folder } = filter
  const isWhole = Bun.deepEquals(filter, readFilter(folder === null ? {} : { folder }, 'any'))
  const isWithin = (row: AttachmentRow) =>
    isWhole && (folder === null || `${row.folder ?? ''}/`.startsWith(`${folder}/`))
  const linked = new Set<number>()
  const meet = async (note: StoredNote) => {
    for (const key of await findLinkedFiles(reader, note)) linked.add(key)
  }
  yield* writeMarkdownFiles(reader, filter, isWhole && folder === null ? undefined : meet)
  yield* exportAttachments(reader, (row) => isWithin(row) || linked.has(row.key))
}

export const exportNoteFiles: FilesForPeople = async function* (reader) {
  for await (const file of writeMarkdownFiles(reader, readFilter({}, 'any')))
    yield { ...file, name: `notes/${file.name}` }
}

interface Deps extends Pick<Context, 'now'> {
  readonly imports: Pick<Imports, 'receive'>
  readonly snapshot: () => Promise<Snapshot>
  readonly api: RequestPlugin
}

/** The paths whose requests are files instead of JSON. */
export const NOTE_FILE_PATHS = ['/api/notes/import']

const ARCHIVE = { type: 'application/zip', name: 'notes.zip' }

export function noteFileRoutes({ imports, api, ...exporting }: Deps) {
  /**
   * Returns the zip archive as a stream, which must be read to its end or cancelled, from one snapshot of the database. It
   * includes archived notes unless the filter excludes them. Throws invalid_request, and errors before the first note.
   */
  async function exportNotes(session: Session, query: ExportNotesQuery): Promise<ReadableStream<Uint8Array>> {
    const filter = readFilter(query, 'any')
    return streamExport(exporting, async function* (db) {
      const { writeZip } = await import('../../lib/zip/write')
      yield* writeZip(writeVault({ ...session, db }, filter))
    })
  }

  return new Elysia({ prefix: '/api/notes', tags: ['Notes in and out'] })
    .use(api)
    .post(
      '/import',
      async ({ request, query, session, reply }) =>
        reply.send(await imports.receive(request, session, createNotesImportOrder(query))),
      {
        query: ImportNotesQuery,
        response: { 200: ImportReport, 202: ImportReport },
        detail: {
          operationId: 'importNotes',
          ...refuses('archive_refused'),
          summary: 'Import notes',
          description:
            'Accepts a zip archive of Markdown files (a folder, an Obsidian vault, a Satchel export) or of Google Keep, an Evernote export, or one Markdown file. The report lists the outcome of each entry.',
          requestBody: {
            required: true,
            content: {
              'application/zip': file('Markdown files, an Obsidian vault, or Google Keep from Takeout.'),
              'application/enex+xml': file('An Evernote export.'),
              'text/markdown': file('One note, with or without front matter.'),
            },
          },
        },
      },
    )
    .get(
      '/export',
      async ({ request, session, query }) => sendAttachment(request, await exportNotes(session, query), ARCHIVE),
      {
        query: ExportNotesQuery,
        response: { 200: t.Any({ description: 'A zip archive of Markdown files.' }) },
        detail: {
          operationId: 'exportNotes',
          summary: 'Export notes',
          description:
            'Returns a zip archive with a Markdown file for each note, its members as front matter, from one snapshot, and with the attachments: all of them, or with a filter those that its notes show or link to, and those in `folder`. Accepts the filters of the list; archived notes are included unless `archived=false`. It can be imported again, up to 200,000 notes at a time; use the filter `folder` to export more notes in parts.',
          responses: { 200: { description: 'The archive.', content: { 'application/zip': file('Markdown files.') } } },
        },
      },
    )
}
