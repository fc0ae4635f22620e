import { basename, join } from 'node:path'
import { staticPlugin } from '@elysiajs/static'
import { Elysia, NotFoundError } from 'elysia'
import { parseTarget } from '../http/answer'
import {
  computeOnce,
  computeVersion,
  type LinkFiles,
  linkVersioned,
  redirect,
  type ServeStatic,
  type StaticContent,
  serveStatic,
} from '../http/static-file'
import { EMBEDDED, type Embedded } from './embedded'

/** For an address that has other bytes only under another version. */
const FOR_GOOD = 'public, max-age=31536000, immutable'
const HIDDEN = { detail: { hide: true } }

export type Pages = Awaited<ReturnType<typeof openPages>>

/**
 * Reads the files of `folder`, or those inside the executable with the first request: what is served is as it was at the
 * start, since another app may be bundled while the server runs. The routes, which the API document does not list,
 * serve pages (HTML) and files at their plain paths, to be revalidated, and files also at `/assets/{version}/{path}`, to
 * be kept for good. All files have one version, so the relative addresses in them need no change. Rejects if the folder
 * is missing, or a file cannot be read.
 */
export async function openPages(folder: string) {
  const { all, version } = EMBEDDED ? toReaders(EMBEDDED) : await readFolder(folder)
  const files = new Map(all.filter(([name]) => !isPage(name)))
  // The addresses in a manifest are relative to its own, by which browsers know an installed app: it stays at its plain path.
  const linked = new Set([...files.keys()].filter((name) => !name.endsWith('.webmanifest')))
  const linkFiles: LinkFiles = (html, page) => linkVersioned(html, page, linked, version)
  const routes = new Elysia({ name: 'pages' })
  for (const [name, read] of all.filter(([name]) => isPage(name))) {
    const serve = serveLater(async () => {
      const { type, bytes } = await read()
      return { type, bytes: new TextEncoder().encode(linkFiles(new TextDecoder().decode(bytes), name)) }
    })
    routes.get(`/${name}`, ({ request }) => serve(request), HIDDEN)
    const folder = /^(?:(.*)\/)?index\.html$/.exec(name)?.[1]
    if (name === 'index.html') routes.get('/', ({ request }) => serve(request), HIDDEN)
    // The page finds its files below the address with a slash; Elysia takes the one without for the same.
    else if (folder !== undefined)
      routes.get(
        `/${folder}/`,
        ({ request }) =>
          parseTarget(request.url).path.endsWith('/') ? serve(request) : redirect(`${basename(folder)}/`),
        HIDDEN,
      )
  }
  const served = new Map([...files].map(([name, read]) => [name, serveLater(read)]))
  for (const [name, serve] of served) routes.get(`/${name}`, ({ request }) => serve(request), HIDDEN)
  routes.get(
    '/assets/:version/*',
    async ({ request, params }) => {
      const serve = served.get(params['*'])
      if (!serve) throw new NotFoundError()
      // A page that was open during an upgrade goes on with the present files.
      return serve(request, params.version === version ? FOR_GOOD : undefined)
    },
    HIDDEN,
  )
  return { routes, linkFiles }
}

type ReadContent = () => Promise<StaticContent>

interface ServedFiles {
  readonly all: readonly (readonly [name: string, read: ReadContent])[]
  readonly version: string
}

const isPage = (name: string) => name.endsWith('.html')

const toReaders = ({ pages, version }: Embedded): ServedFiles => ({
  all: Object.entries(pages).map(([name, path]) => [name, () => readNow(path)]),
  version,
})

async function readFolder(folder: string): Promise<ServedFiles> {
  const paths = Object.entries(await listFiles(folder))
  const all = await Promise.all(paths.map(async ([name, path]) => [name, await readNow(path)] as const))
  const files = all.filter(([name]) => !isPage(name)).map(([name, { bytes }]) => [name, bytes] as const)
  return { all: all.map(([name, content]) => [name, async () => content]), version: computeVersion(files) }
}

/** Serves content that is read with the first request, and kept. */
function serveLater(read: ReadContent): ServeStatic {
  const open = computeOnce(async () => serveStatic(await read()))
  return async (request, caching) => (await open())(request, caching)
}

async function readNow(path: string): Promise<StaticContent> {
  const file = Bun.file(path)
  return { bytes: await file.bytes(), type: file.type }
}

/**
 * Lists the files that the plugin would serve, by name: a file that is added later, is outside the folder, or has a name
 * with a leading dot is not among them. Its answers are not used: they have no ETag for HTML, and a false Content-Range.
 */
async function listFiles(folder: string): Promise<Record<string, string>> {
  const { routes } = await staticPlugin({
    assets: folder,
    prefix: '/',
    alwaysStatic: true,
    indexHTML: false,
    etag: false,
  })
  return Object.fromEntries(routes.map(({ path }) => [path.slice(1), join(folder, path)]))
}
