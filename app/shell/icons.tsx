/** The pictures of the screens: strokes on a grid of 24, as Lucide and Feather draw theirs. */
import type { ScreenName } from './route'

const PATHS: Readonly<Record<ScreenName | 'add' | 'search' | 'back', string>> = {
  today:
    'M12 8a4 4 0 1 0 0 8a4 4 0 0 0 0-8M12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
  notes: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  tasks: 'M4 6l1.5 1.5L8 5M4 12l1.5 1.5L8 11M4 18l1.5 1.5L8 17M12 6h8M12 12h8M12 18h8',
  study: 'M4 7h12v12H4zM8 7V4h12v12h-4',
  chat: 'M4 5h16v11H10l-4 4v-4H4z',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M14 5v4M10 15v4',
  add: 'M12 5v14M5 12h14',
  search: 'M11 4a7 7 0 1 0 0 14a7 7 0 0 0 0-14M16 16l4 4',
  back: 'M14 6l-6 6l6 6',
}

/** A picture beside or in place of words; screen readers pass it over. */
export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
