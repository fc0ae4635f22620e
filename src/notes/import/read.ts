import { isStorable } from '../../http/body'
import type { Read, ReadItem } from '../../imports/kind'
import { failedItem, guarded, type NotesImportParams, type ParsedItem, type ParsedValue, requireSize } from './parsed'

/**
 * Reads a file of notes: an item for each entry of an archive, each note of Evernote's, or the one file. Only the parser of
 * its format is loaded: each takes longer to load than most files to read.
 */
export const readNotes: Read<NotesImportParams, ParsedValue> = async function* (file, { kind, format, folder }) {
  if (kind === 'enex') {
    yield { format: 'enex' }
    const { parseEnex } = await import('./enex')
    yield* toItems(parseEnex(file), folder)
  } else if (kind === 'markdown') {
    const system = format === 'obsidian' ? 'obsidian' : 'markdown'
    yield { format: system }
    const { MARKDOWN_BYTES, parseMarkdown } = await import('./markdown-file')
    const parse = () => {
      requireSize(file.size, MARKDOWN_BYTES)
      return parseMarkdown(null, file.whole(), system)
    }
    yield* toItems([guarded('', parse)], folder)
  } else {
    const { openZip } = await import('./zip-file')
    const zip = await openZip(file, format)
    yield { format: zip.format }
    yield* toItems(zip.items, folder)
  }
}

/** Each item as the kit keeps it. A note's key is what it must not share with another note of the file. */
function* toItems(items: Iterable<ParsedItem>, folder: string | null): Generator<ReadItem<ParsedValue>> {
  for (const item of items) {
    const { path: where, ...value } = checked(item)
    if (!('draft' in value)) {
      yield { where, type: 'note', value }
      continue
    }
    const { id, source, draft } = value
    const name = id ?? (source && JSON.stringify([source.system, source.id]))
    const inner = draft.folder
    const moved = { ...draft, folder: folder !== null && inner !== null ? `${folder}/${inner}` : (folder ?? inner) }
    yield { where, type: 'note', ...(name === null ? {} : { key: name }), value: { ...value, draft: moved } }
  }
}

/** Text that no database can store fails its item. */
function checked(item: ParsedItem): ParsedItem {
  if (!('draft' in item)) return item
  const { title, body, folder, tags } = item.draft
  if ([title ?? '', body, folder ?? '', ...tags].every(isStorable)) return item
  const fault = { code: 'unstorable_text', detail: 'The note holds NUL or half a surrogate pair.' }
  return failedItem(item.path, fault, item.source)
}
