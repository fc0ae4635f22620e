/** Serves the browser pages: files, as they are. */
import { staticPlugin } from '@elysiajs/static'
import { Elysia } from 'elysia'
import { EMBEDDED } from '../openapi/embedded'

/** Serves the pages of `folder`, or those inside the executable. Rejects if the folder is missing. */
export async function servePages(folder: string) {
  return EMBEDDED ? embeddedPages(EMBEDDED.pages) : await folderPages(folder)
}

/**
 * Serves the files of `folder` at `/`, without listing them in the API document. The files are listed once, at the
 * start: a file that is added later, is outside the folder, or has a name with a leading dot is not served.
 */
function folderPages(folder: string) {
  return staticPlugin({
    assets: folder,
    prefix: '/',
    alwaysStatic: true,
    maxAge: 0,
    directive: 'no-cache',
    detail: { hide: true },
  })
}

/** Serves the files inside the executable, likewise. The plugin needs a folder. */
function embeddedPages(files: Readonly<Record<string, string>>) {
  const app = new Elysia({ name: 'embedded-pages' })
  const serve = (file: string) => () => new Response(Bun.file(file), { headers: { 'Cache-Control': 'no-cache' } })
  for (const [name, file] of Object.entries(files)) {
    const paths = name === 'index.html' ? ['/', '/index.html'] : [`/${name}`]
    for (const path of paths) app.get(path, serve(file), { detail: { hide: true } })
  }
  return app
}
