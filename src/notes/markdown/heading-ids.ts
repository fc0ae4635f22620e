/**
 * Makes the ids of headings: `h-` and the letters, digits, `_` and `-` in lower case. Repeated ids are numbered from 1.
 */
export class HeadingIds {
  private readonly counts = new Map<string, number>()

  /** @param text the heading without its markup, see stripInlineMarkup */
  create(text: string): string {
    const words = text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}\s_-]+/gu, '')
    const slug = `h-${words.trim().replace(/\s+/g, '-')}`
    let id = slug
    for (let count = this.counts.get(slug) ?? 0; this.counts.has(id); count += 1) {
      this.counts.set(slug, count + 1)
      id = `${slug}-${count + 1}`
    }
    this.counts.set(id, this.counts.get(id) ?? 0)
    return id
  }
}
