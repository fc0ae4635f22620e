import { invalid } from '../../http/api-error'

/** The text of a file in UTF-8, without its byte order mark. Throws invalid_request. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid('', 'invalid_utf8', 'The file is not text in UTF-8.')
  }
}
