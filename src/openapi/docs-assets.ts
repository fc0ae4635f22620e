/** Finds the files of /docs/assets. */
import { dirname, join } from 'node:path'

/** Returns the paths of the files by that under which each is served, without the first slash: ours, and the viewer's. */
export function findDocsAssets(): Readonly<Record<string, string>> {
  const viewer = dirname(Bun.resolveSync('swagger-ui-dist/package.json', import.meta.dir))
  return {
    'docs/assets/boot.js': join(import.meta.dir, 'boot.js'),
    'docs/assets/docs.css': join(import.meta.dir, 'docs.css'),
    'docs/assets/swagger-ui.css': join(viewer, 'swagger-ui.css'),
    'docs/assets/swagger-ui-bundle.js': join(viewer, 'swagger-ui-bundle.js'),
  }
}
