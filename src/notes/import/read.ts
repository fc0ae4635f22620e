import { isStorable } from '../../http/request'
import type { ReadImportFile, ReadItem } from '../../imports/kind'
import {
  type AttachedFile,
  type NoteArchive,
  type NotesImportParams,
  type ParsedItem,
  type ParsedValue,
  parseOrFail,
  readAttachedFile,
  requireSize,
  toFailedItem,
} from './parsed'

/**
 * Reads a file of notes: yields an item for each entry of an archive, for each note of Evernote, or for the single
 * file. Loads only the parser of the format, since loading one takes longer than reading most files.
 */
export const readNotes: ReadImportFile<NotesImportParams, ParsedValue | AttachedFile> = async function* (
  file,
  { kind, format, folder },
) {
  if (kind === 'enex') {
    yield { format: 'enex' }
    const { parseEnex, readEnexFiles } = await import('./enex')
    yield* toItems(parseEnex(file), folder)
    // After the notes, which are small: they shall fit if not everything does.
    yield* readEnexFiles(file, folder)
  } else if (kind === 'markdown') {
    const system = format === 'obsidian' ? 'obsidian' : 'markdown'
    yield { format: system }
    const { MAX_MARKDOWN_FILE_BYTES, parseMarkdown } = await import('./markdown-file')
    const parse = () => {
      requireSize(file.size, MAX_MARKDOWN_FILE_BYTES)
      return parseMarkdown(null, file.whole(), system, null, folder)
    }
    yield* toItems([parseOrFail('', parse)], folder)
  } else {
    const { openZip } = await import('./zip-file')
    const zip = await openZip(file, format, folder)
    yield { format: zip.format }
    yield* toItems(zip.items, folder, await identifyArchive(toItems(zip.sample, folder)))
    // After the notes, which are small: they shall fit if not everything does.
    for (const attached of zip.attached) yield readAttachedFile(file, attached, folder)
  }
}

/** Identifies an archive by some of its notes; null if it has none that are known by their paths. */
async function identifyArchive(notes: Iterable<ReadItem<ParsedValue>>): Promise<NoteArchive | null> {
  const { hashDraft } = await import('./imported-rows')
  let first: string | null = null
  const sample: NoteArchive['sample'][number][] = []
  for (const { key, value } of notes) {
    if (key === undefined || !value || !('draft' in value) || value.id !== null || !value.source) continue
    first ??= key
    sample.push({ id: value.source.id, digest: hashDraft(value.draft) })
  }
  return first === null ? null : { first, sample }
}

/** Converts parsed items to those that imports store. The key of a note must be unique in the file. */
function* toItems(
  items: Iterable<ParsedItem>,
  folder: string | null,
  archive: NoteArchive | null = null,
): Generator<ReadItem<ParsedValue>> {
  for (const item of items) {
    const { path: where, ...value } = checkStorable(item)
    if (!('draft' in value)) {
      yield { where, type: 'note', value }
      continue
    }
    const { id, source, draft } = value
    const key = id ?? (source && JSON.stringify([source.system, source.id]))
    const inner = draft.folder
    const moved = { ...draft, folder: folder !== null && inner !== null ? `${folder}/${inner}` : (folder ?? inner) }
    const known =
      archive && id === null ? { archive: key === archive.first ? archive : { ...archive, sample: [] } } : {}
    yield { where, type: 'note', ...(key === null ? {} : { key }), value: { ...value, draft: moved, ...known } }
  }
}

/** Returns the item, or a failed item if the database cannot store its text. */
function checkStorable(item: ParsedItem): ParsedItem {
  if (!('draft' in item)) return item
  const { title, body, folder, tags } = item.draft
  if ([title ?? '', body, folder ?? '', ...tags].every(isStorable)) return item
  const fault = { code: 'unstorable_text', detail: 'The note contains NUL or half a surrogate pair.' }
  return toFailedItem(item.path, fault, item.source)
}
