import { findReminders, takeDuration, takeReminders } from './quick-amounts'
import { protect, takeMarkers } from './quick-markers'
import { QuickText } from './quick-text'
import type { QuickContext, QuickDraft, QuickParse } from './quick-types'
import { takeWhen } from './quick-when'

/**
 * Reads one line of quick add. Never throws; knows nothing but the text and the context, so the same text gives the
 * same answer wherever and whenever it is read. What is understood leaves the title and is a span; what only looked
 * like it stays, with a warning.
 */
export function parseQuick(line: string, context: QuickContext): QuickParse {
  const text = new QuickText(line)
  const draft: QuickDraft = {}
  protect(text)
  takeMarkers(text, context, draft)
  takeDuration(text, draft)
  const reminders = findReminders(text)
  takeWhen(text, context, draft)
  takeReminders(text, draft, reminders)
  return { title: text.title(), draft, spans: text.spans(), warnings: text.warnings() }
}
