/** `bun build/app.ts` bundles the app into public/app, unless what is there is newer than all of its sources. */
import { join } from 'node:path'
import { bundleApp, isBundleFresh } from './bundle-app'
import { ROOT } from './parts'

const folder = join(ROOT, 'public/app')
if (!isBundleFresh(folder)) await bundleApp(folder)
