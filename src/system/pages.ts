/** The browser pages: files served as they are. */
import { staticPlugin } from '@elysiajs/static'

/**
 * Serves the files of `folder` at `/`, hidden from the document. The list of files is read once: nothing that is added
 * later, outside the folder or named with a leading dot can be reached. Rejects when the folder is missing.
 */
export function pages(folder: string) {
  return staticPlugin({
    assets: folder,
    prefix: '/',
    alwaysStatic: true,
    maxAge: 0,
    directive: 'no-cache',
    detail: { hide: true },
  })
}
