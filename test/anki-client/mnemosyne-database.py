"""Opens the .apkg named by the first argument with Mnemosyne 2.9 and prints as JSON what it holds then."""

import json
import os
import shutil
import sys
import tempfile
import types
import warnings

warnings.simplefilter('ignore')

from mnemosyne.libmnemosyne import Mnemosyne
from openSM2sync.log_entry import EventTypes
from mnemosyne.libmnemosyne.ui_components.main_widget import MainWidget
from mnemosyne.libmnemosyne.ui_components.review_widget import ReviewWidget

# Whatever Mnemosyne would show is not shown; whatever it complains of is told.
SILENT = ('show_information set_progress_text set_progress_range set_progress_update_interval set_progress_value '
          'increase_progress close_progress set_window_title update_status_bar enable_edit_current_card '
          'enable_delete_current_card enable_browse_cards enable_reset_current_card').split()
errors = []
members = {name: lambda self, *args: None for name in SILENT}
members['show_error'] = lambda self, text: errors.append(text)
widgets = types.ModuleType('widgets')
widgets.Main = type('Main', (MainWidget,), {**members, '__module__': 'widgets'})
widgets.Review = type('Review', (ReviewWidget,), {'redraw_now': lambda self: None, '__module__': 'widgets'})
sys.modules['widgets'] = widgets

folder = tempfile.mkdtemp()
os.environ['HOME'] = folder
package = os.path.join(folder, 'package.apkg')
shutil.copy(sys.argv[1], package)
program = Mnemosyne(upload_science_logs=False, interested_in_old_reps=True, asynchronous_database=True)
program.components.insert(0, ('mnemosyne.libmnemosyne.gui_translators.gettext_gui_translator', 'GetTextGuiTranslator'))
program.components.append(('widgets', 'Main'))
program.gui_for_component['ScheduledForgottenNew'] = [('widgets', 'Review')]
program.initialise(os.path.join(folder, 'home'), automatic_upgrades=False)
program.start_review()
anki = [found for found in program.component_manager.all('file_format') if type(found).__name__ == 'Anki2'][0]
anki.do_import(package)
database = program.database()
database.save()
cards = [database.card(row[0], is_id_internal=True) for row in database.cards()]
print(json.dumps({
    'facts': database.fact_count(),
    'cards': [{
        'type': card.card_type.name, 'fields': list(card.fact.data.values()),
        'tags': sorted(tag.name for tag in card.tags), 'grade': card.grade, 'reps': card.ret_reps,
        'lapses': card.lapses, 'easiness': card.easiness, 'next': card.next_rep, 'last': card.last_rep,
    } for card in cards],
    'log': [list(row) for row in database.con.execute(
        'select timestamp, grade, thinking_time from log where event_type = ? order by timestamp',
        (EventTypes.REPETITION,))],
    'media': sorted(name for name in os.listdir(database.media_dir()) if not name.startswith('_')),
    'errors': errors,
}))
program.finalise()
shutil.rmtree(folder)
