# Asks LWP, for each list, which URLs it would send to the proxy.
#
# stdin: [{"no_proxy": "...", "urls": [...]}, ...]; stdout: [[true, ...], ...], true = direct. Nothing is sent.
use strict;
use warnings;
use HTTP::Request;
use JSON::PP;
use LWP::UserAgent;

my $questions = decode_json(do { local $/; <STDIN> });
my @answers;
for my $question (@$questions) {
    local %ENV = (http_proxy => 'http://proxy.invalid:3128', no_proxy => $question->{no_proxy});
    my $agent = LWP::UserAgent->new(env_proxy => 1);
    my @direct;
    for my $url (@{ $question->{urls} }) {
        my $request = HTTP::Request->new(GET => $url);
        LWP::UserAgent::_need_proxy($request, $agent);
        push @direct, exists $request->{proxy} ? JSON::PP::false : JSON::PP::true;
    }
    push @answers, \@direct;
}
print encode_json(\@answers);
