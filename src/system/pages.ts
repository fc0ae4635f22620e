/** Serves the browser pages. */
import { join } from 'node:path'
import { staticPlugin } from '@elysiajs/static'
import { Elysia } from 'elysia'
import { serveStatic } from '../http/static-file'
import { EMBEDDED } from '../openapi/embedded'

/**
 * Serves the files of `folder`, or those inside the executable, at `/`, without listing them in the API document. Rejects
 * if the folder is missing. A file must not change while the server runs.
 */
export async function servePages(folder: string) {
  const app = new Elysia({ name: 'pages' })
  for (const [name, file] of Object.entries(EMBEDDED?.pages ?? (await listFiles(folder)))) {
    const serve = serveStatic(Bun.file(file))
    const paths = name === 'index.html' ? ['/', '/index.html'] : [`/${name}`]
    for (const path of paths) app.get(path, ({ request }) => serve(request), { detail: { hide: true } })
  }
  return app
}

/**
 * Lists the files that the plugin would serve, by name: a file that is added later, is outside the folder, or has a name
 * with a leading dot is not among them. Its answers are not used: they have no ETag for HTML, and a false Content-Range.
 */
async function listFiles(folder: string): Promise<Record<string, string>> {
  const { routes } = await staticPlugin({ assets: folder, prefix: '/', alwaysStatic: true })
  const names = routes.map(({ path }) => path.slice(1)).filter((name) => name !== '')
  return Object.fromEntries(names.map((name) => [name, join(folder, name)]))
}
