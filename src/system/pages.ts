/** The browser pages: files served as they are. */
import { staticPlugin } from '@elysiajs/static'
import { Elysia } from 'elysia'
import { EMBEDDED } from '../openapi/embedded'

/** The pages of `folder`, or those that the executable carries. Rejects when the folder is missing. */
export async function servePages(folder: string) {
  return EMBEDDED ? carriedPages(EMBEDDED.pages) : await folderPages(folder)
}

/**
 * Serves the files of `folder` at `/`, hidden from the document. The list of files is read once: nothing that is added
 * later, outside the folder or named with a leading dot can be reached.
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

/** The same of files that lie in no folder, which the plugin needs. */
function carriedPages(files: Readonly<Record<string, string>>) {
  const app = new Elysia({ name: 'carried-pages' })
  const serve = (file: string) => () => new Response(Bun.file(file), { headers: { 'Cache-Control': 'no-cache' } })
  for (const [name, file] of Object.entries(files)) {
    const paths = name === 'index.html' ? ['/', '/index.html'] : [`/${name}`]
    for (const path of paths) app.get(path, serve(file), { detail: { hide: true } })
  }
  return app
}
