import { LimitedWorker, type LimitedWorkerOptions } from '../../lib/limited-worker'
import { writeFallback } from '../../lib/markdown/allowed-html'
import type { ShownParts } from './render'
import type { RenderRequest } from './render-worker'

export type HtmlRenderer = ReturnType<typeof createHtmlRenderer>

/**
 * Renders in one worker, which the first body starts. The worker file is an entry point of the compiled executable, see
 * build/parts.ts.
 */
export function createHtmlRenderer(options: LimitedWorkerOptions) {
  const worker = new LimitedWorker<RenderRequest>({
    ...options,
    start: () => new Worker(new URL('./render-worker.ts', import.meta.url), { ref: false }),
  })
  return {
    /**
     * Renders a body as a sanitized HTML fragment without active content. If rendering takes too long, overflows the
     * stack or fails, returns the escaped source in `<pre data-fallback="too_complex">`. Caches HTML, 16 MiB in all, but
     * no fallbacks.
     * @param targets the note ids that the body's links resolve to, by their target as written (trimmed, without heading
     * or alias; empty for a heading of the note itself). A target that is missing is unresolved.
     * @param caller callers take turns, so each waits for at most one body of every other caller
     * @param cacheKey identifies the body, its targets, what is shown and their workspace; without it the HTML is not cached
     * @throws the reason of `signal`, which ends the work
     */
    async render(
      markdown: string,
      targets: ReadonlyMap<string, string>,
      caller = '',
      cacheKey?: string,
      shown: ShownParts = {},
      signal?: AbortSignal,
    ): Promise<string> {
      const asking = { length: markdown.length, caller, cacheKey, signal }
      return (await worker.run({ markdown, targets, shown }, asking)) ?? writeFallback(markdown)
    },
    /** Ends the worker. Bodies that are not rendered yet get the fallback. */
    close: worker.close.bind(worker),
  }
}
