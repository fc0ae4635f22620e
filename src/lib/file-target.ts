/** The ending of a note's file. */
export const NOTE_ENDING = /\.(?:md|markdown)$/i

/** Returns a file name without `.md` or `.markdown`. */
export function stripExtension(name: string): string {
  return name.replace(NOTE_ENDING, '')
}

/** Whether the name or the path of a file is that of a note. */
export function isNoteFile(name: string): boolean {
  return NOTE_ENDING.test(name)
}

/** The endings of files that notes show or link to; any other dot may be part of the title of a note, as in `v1.2`. */
export const FILE_ENDINGS =
  'avif bmp gif heic ico jpeg jpg png svg tif tiff webp flac m4a mp3 oga ogg opus wav 3gp mkv mov mp4 ogv webm pdf base canvas csv doc docx epub excalidraw gz htm html ics json odp ods odt ppt pptx rtf tar txt xls xlsx xml zip'.split(
    ' ',
  )
const FILE_NAME = new RegExp(`\\.(?:${FILE_ENDINGS.join('|')})$`, 'i')

/** Whether the target of a link names a file rather than a note. */
export function isFileTarget(target: string): boolean {
  return FILE_NAME.test(target)
}
