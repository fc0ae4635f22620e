/** Finds the files of /docs/assets. */
import { dirname, join } from 'node:path'

/** Returns the paths of the files by the name under which each is served: ours, and those of the viewer's package. */
export function findDocsAssets(): Readonly<
  Record<'boot.js' | 'docs.css' | 'swagger-ui.css' | 'swagger-ui-bundle.js', string>
> {
  const viewer = dirname(Bun.resolveSync('swagger-ui-dist/package.json', import.meta.dir))
  return {
    'boot.js': join(import.meta.dir, 'boot.js'),
    'docs.css': join(import.meta.dir, 'docs.css'),
    'swagger-ui.css': join(viewer, 'swagger-ui.css'),
    'swagger-ui-bundle.js': join(viewer, 'swagger-ui-bundle.js'),
  }
}
