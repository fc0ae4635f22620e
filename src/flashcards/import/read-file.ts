import { sha256Of } from '../../blobs/blob'
import { ApiError } from '../../http/api-error'
import type { FileFacts, ReadImportFile, ReadItem, SourceFile } from '../../imports/kind'
import { FileFault, UnreadableItem } from '../../lib/file-fault'
import { readCsv } from '../formats/csv'
import { type ParsedFlashcards, type ParsedIgnored, type ParsedMedia, writePlace } from '../formats/parsed'
import type { ImportFormat, ImportParams } from './schema'

/** An item for the import. The bytes of media are stored separately. */
export type ImportItem = Exclude<ParsedFlashcards, { kind: 'fault' | 'media' | 'ignored' }> | StoredMedia

export interface StoredMedia extends Omit<ParsedMedia, 'bytes'> {
  readonly sha256: string
}

/**
 * Reads a file of flashcards; to be called in a Worker.
 * @throws FileFault for a file that is refused as a whole: invalid_package, unsupported_package, invalid_request,
 * too_large
 */
export const readFlashcards: ReadImportFile<ImportParams> = async function* (
  file,
  { format, workspace },
): AsyncGenerator<FileFacts | ReadItem> {
  // A package tells first what is left out of it.
  if (format !== 'apkg') yield { format }
  try {
    for await (const item of parsed(file, format, workspace))
      yield item.kind === 'ignored' ? { format, ignored: item.components } : toItem(item)
  } catch (error) {
    throw error instanceof ApiError ? new FileFault(error.code, error.detail) : error
  }
}

/** Loads only the reader of the format: loading that of Anki takes longer than reading most files. */
async function* parsed(
  file: SourceFile,
  format: ImportFormat,
  workspace: ImportParams['workspace'],
): AsyncGenerator<ParsedFlashcards> {
  if (format === 'apkg') {
    const { PACKAGE_LIMITS, readPackage } = await import('../anki/read-package')
    yield* readPackage(file, PACKAGE_LIMITS[workspace])
  } else {
    yield* readCsv(file.whole(), format, htmlToMarkdown)
  }
}

/** Converts HTML. Loads the converter of Anki with the first cell that has HTML. */
function htmlToMarkdown(html: string): string | null {
  const { fieldToMarkdown } = require('../facts/field-html') as typeof import('../facts/field-html')
  try {
    return fieldToMarkdown(html)
  } catch (error) {
    if (error instanceof UnreadableItem) return null
    throw error
  }
}

function toItem(item: Exclude<ParsedFlashcards, ParsedIgnored>): ReadItem<ImportItem> {
  switch (item.kind) {
    case 'fault':
      return { where: item.where, type: item.type, fault: { code: item.code, detail: item.detail } }
    case 'deck':
      return { where: writePlace('deck', item.path.join('::')), type: 'deck', value: item }
    case 'media':
      return toMedia(item)
    case 'note_type':
      return { where: writePlace('note type', item.noteType.name), type: 'note_type', value: item }
    case 'fact':
      return { where: item.where, type: 'fact', value: item }
  }
}

function toMedia({ name, bytes }: ParsedMedia): ReadItem<ImportItem> {
  const value = { kind: 'media', name, sha256: sha256Of(bytes) } as const
  return { where: writePlace('media', name), type: 'media', key: name, value, bytes }
}
